// Answers as they come: columns, with one table of texts and one of files. What is read often becomes a
// typed array; a column that is not there is all zeros.

export type Column = number[];

export interface ColumnTable {
  count: number;
  all?: Record<string, Column>;
  self?: Record<string, Column>;
  [name: string]: unknown;
}

export interface WireAnswer {
  begin_ns: number;
  end_ns: number;
  groups?: number;
  heaps?: string;
  totals: Record<string, number>;
  texts: string[];
  files?: Record<string, string>;
  rows?: ColumnTable;
  tree?: ColumnTable;
}

// Rows of columns, or nodes of a tree.
export class Table {
  readonly count: number;
  private readonly figures = new Map<string, Float64Array>();

  constructor(
    private readonly columns: ColumnTable,
    private readonly texts: string[],
    private readonly files: Record<string, string>,
  ) {
    this.count = columns.count;
  }

  text(name: string, i: number): string {
    const column = this.columns[name] as Column | undefined;
    return column ? (this.texts[column[i] ?? 0] ?? "") : "";
  }

  number(name: string, i: number): number {
    const column = this.columns[name] as Column | undefined;
    return column ? (column[i] ?? 0) : 0;
  }

  // What a group stands for: a size, a lower bound, a number of a thread. Infinite: never freed, or all
  // other sizes.
  key(i: number): number {
    const column = this.columns.key as Column | undefined;
    return column ? (column[i] ?? Infinity) : 0;
  }

  // The number that /api/source takes; 0 without a file.
  fileNumber(i: number): number {
    return this.number("file", i);
  }

  file(i: number): string {
    return this.files[String(this.fileNumber(i))] ?? "";
  }

  // A figure of every row: of all that leads there, or of what it allocates itself.
  values(key: string, part: "all" | "self" = "all"): Float64Array {
    const name = `${part}.${key}`;
    let values = this.figures.get(name);
    if (!values) {
      // Groups that do not overlap are all their own.
      const column = (this.columns[part] ?? this.columns.all)?.[key];
      values = column ? Float64Array.from(column) : new Float64Array(this.count);
      this.figures.set(name, values);
    }
    return values;
  }

  keys(): string[] {
    return Object.keys(this.columns.all ?? {});
  }
}

export interface Answer {
  beginNs: number;
  endNs: number;
  groups: number;
  totals: Record<string, number>;
  rows: Table;
  tree: Table;
}

const fileNumbers = new Map<string, number>();

// The numbers of files mean the same in all answers, so that one that was named can be asked for.
export function rememberFiles(files: Record<string, string>): void {
  for (const [number, path] of Object.entries(files)) fileNumbers.set(path, Number(number));
}

export const numberOfFile = (path: string): number | undefined => fileNumbers.get(path);

export function readAnswer(wire: WireAnswer): Answer {
  const empty: ColumnTable = { count: 0 };
  const files = wire.files ?? {};
  rememberFiles(files);
  return {
    beginNs: wire.begin_ns ?? 0,
    endNs: wire.end_ns ?? 0,
    groups: wire.groups ?? 0,
    totals: wire.totals ?? {},
    rows: new Table(wire.rows ?? empty, wire.texts ?? [], files),
    tree: new Table(wire.tree ?? empty, wire.texts ?? [], files),
  };
}
