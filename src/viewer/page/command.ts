// The command that answers the same as what is on the screen.
import { endsOf } from "./compare";
import { comparedOf } from "./compare_runs";
import { shellWord } from "./format";
import { selected, selectedTree, type Question } from "./metrics";
import type { Recording } from "./recording";
import type { Selection } from "./selection";

export function commandOf(selection: Selection, recording: Recording): string {
  if (selection.view === "compare") return diffCommand(selection, recording);
  const { process } = selection;
  const one = process === null ? undefined : recording.processes[process]?.path;
  const words = ["heapledger", "report", ...(one ? [one] : shortPaths(recording.paths))];
  const isTree = selection.view === "flame" || selection.view === "callers";
  const question = (isTree ? selectedTree : selected)(selection, recording);
  addQuestion(words, process === null ? question : ofProcess(question, recording, process));
  if (selection.view === "flame") {
    words.push(selection.inverted ? "--bottom-up" : "--tree");
  } else if (selection.view === "callers" && selection.picked) {
    words.push("--callers-of", selection.picked.name);
  } else {
    words.push("--by", selection.view === "table" ? selection.by : "owner");
  }
  return words.map(shellWord).join(" ");
}

// Two recordings, or two moments of this one.
function diffCommand(selection: Selection, recording: Recording): string {
  const words = ["heapledger", "diff"];
  if (recording.earlier && selection.ofTwo) {
    const { by, sort } = comparedOf(selection);
    const at = selection.range ? selection.range[1] : selection.at;
    words.push(onePath(recording.earlier.paths), onePath(recording.paths), "--at", at);
    words.push("--by", by, "--sort", sort);
  } else {
    words.push(onePath(recording.paths), "--moments", ...endsOf(selection, recording));
    words.push("--by", diffGroup(selection.by));
  }
  if (selection.filter) words.push("--filter", selection.filter);
  return words.map(shellWord).join(" ");
}

// A difference is between two: of a run with several files, it is the folder.
const onePath = (paths: string[]) =>
  paths.length === 1 ? paths[0] : paths[0].slice(0, paths[0].lastIndexOf("/")) || ".";

const diffGroup = (by: string) => (["part", "process", "lifetime"].includes(by) ? "owner" : by);

// A report on one process counts the time from its own start.
function ofProcess(question: Question, recording: Recording, process: number): Question {
  const begin = Math.round(recording.processes[process]?.begin_ns ?? 0);
  const own = (moment: unknown) =>
    String(moment).replace(/^(\d+)ns$/, (_, ns) => `${Math.max(0, Number(ns) - begin)}ns`);
  const { at, between } = question;
  return {
    ...question,
    ...(at !== undefined && { at: own(at) }),
    ...(between !== undefined && { between: (between as string[]).map(own) }),
  };
}

const kMostPaths = 4;

// The files of a run with many processes, as the folder that they are in.
export function shortPaths(paths: string[]): string[] {
  const folders = new Set(paths.map((path) => path.slice(0, path.lastIndexOf("/")) || "."));
  return paths.length > kMostPaths && folders.size === 1 ? [...folders] : paths;
}

function addQuestion(words: string[], question: Question): void {
  const range = question.between as [string, string] | undefined;
  if (range) words.push("--between", ...range);
  else words.push("--at", String(question.at));
  if (question.filter) words.push("--filter", String(question.filter));
  if (question.sort !== "live") words.push("--sort", String(question.sort));
}
