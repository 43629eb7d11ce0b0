// A button that copies: it says so for two seconds, and nothing where the browser refuses.

export class Copying {
  done = $state(false)

  async copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      this.done = true
      setTimeout(() => (this.done = false), 2000)
    } catch {
      this.done = false
    }
  }
}
