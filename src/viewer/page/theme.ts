// Dark or light: as the system has it, until somebody chooses.
const kName = "heapledger-theme";

function chosen(): string | null {
  try {
    return localStorage.getItem(kName);
  } catch {
    return null; // pages opened from a file may have no storage
  }
}

export function isDark(): boolean {
  const word = chosen();
  return word ? word === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function applyTheme(): void {
  const word = chosen();
  if (word) document.documentElement.dataset.theme = word;
  else delete document.documentElement.dataset.theme;
  dispatchEvent(new Event(kName));
}

export function otherTheme(): void {
  try {
    localStorage.setItem(kName, isDark() ? "light" : "dark");
  } catch {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  }
  applyTheme();
}
