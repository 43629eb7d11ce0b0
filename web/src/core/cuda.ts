// Which line of the source each line of a PTX text was compiled from, as `.file` and `.loc` say.

/** A line of a source file, as the PTX names it. */
export interface SourceLine {
  file: string
  line: number
}

/** The files that a PTX text was compiled from, by number, as it names them. */
export function sourceFiles(ptx: string): Map<number, string> {
  return new Map([...ptx.matchAll(/^[ \t]*\.file[ \t]+(\d+)[ \t]+"([^"]*)"/gm)].map(([, number, name]) => [Number(number), name!]))
}

/** For each line of a PTX text, from 1, where its instructions come from: the line itself, then the calls around it
 * that were inlined; nothing for lines without instructions. */
export function sourceLines(ptx: string): SourceLine[][] {
  const files = sourceFiles(ptx)
  const place = (file: string, line: string): SourceLine[] => {
    const name = files.get(Number(file))
    return name === undefined || line === '0' ? [] : [{ file: name, line: Number(line) }]
  }
  const found: SourceLine[][] = [[]]
  let here: SourceLine[] = []
  for (const text of ptx.split('\n')) {
    const loc = /^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(.*)$/.exec(text)
    if (loc) {
      const calls = [...loc[3]!.matchAll(/inlined_at\s+(\d+)\s+(\d+)/g)]
      here = [...place(loc[1]!, loc[2]!), ...calls.flatMap(([, file, line]) => place(file!, line!))]
    } else if (/^[{}]|^\s*\.(entry|func|visible|weak|file)\b/.test(text)) here = []
    // Instructions: not labels, declarations and comments alone.
    found.push(!loc && /^\s*(?:[\w$%]+:\s*)?@?!?[%a-z]/.test(text) ? here : [])
  }
  return found
}

/** Whether a file that is at hand is the one that a PTX text names: compilers name paths of their own machine. */
export const isNamed = (named: string, file: string): boolean => baseName(named) === baseName(file)

export const baseName = (name: string): string => name.replace(/^.*[\\/]/, '')
