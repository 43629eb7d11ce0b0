// What is done a moment after the latest of many wishes for it, and never twice at a time.

/** Asks for the task, which begins once nobody has asked for so many milliseconds. */
export function soon(milliseconds: number, task: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let busy = false
  let again = false
  async function run(): Promise<void> {
    again = busy
    if (busy) return
    busy = true
    await task()
    busy = false
    if (again) void run()
  }
  return () => {
    clearTimeout(timer)
    timer = setTimeout(() => void run(), milliseconds)
  }
}
