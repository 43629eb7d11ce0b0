// Runs in the page: how long Stop takes. `npm run bench` uses it too (tools/browser.mjs).

/** Presses Stop, and counts the milliseconds until Verify is there again; null where the run was over. */
export function stopAndTime(): Promise<number> | null {
  const stop = document.querySelector<HTMLElement>('[data-testid="stop"]')
  if (stop === null) return null
  const begun = performance.now()
  return new Promise(done => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('[data-testid="verify"]') === null) return
      observer.disconnect()
      done(performance.now() - begun)
    })
    observer.observe(document.body, { childList: true, subtree: true })
    stop.click()
  })
}
