// Warnings in few lines: what is said of several modules is said once.
import { baseName, counted } from "./format";

// "/lib/libz.so.1 has no debug information: functions only, no lines"
const kOfModule = /^(\S+) (has no debug information.*)$/;

export function gathered(warnings: string[]): string[] {
  const modules = new Map<string, string[]>();
  for (const warning of warnings) {
    const [, module, said] = kOfModule.exec(warning) ?? [];
    if (said) modules.set(said, [...(modules.get(said) ?? []), module]);
  }
  const lines = warnings.map((warning) => {
    const said = kOfModule.exec(warning)?.[2] ?? "";
    const paths = modules.get(said) ?? [];
    if (paths.length < 2) return warning;
    const names = paths.map(baseName).join(", ");
    return `${counted(paths.length, "module")} ${said.replace(/^has/, "have")}: ${names}`;
  });
  return [...new Set(lines)];
}
