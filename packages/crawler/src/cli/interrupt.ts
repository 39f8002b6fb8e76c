/** Ctrl-C: once to stop in good order, twice to stop at once. A crawl survives both. */

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** What watches the signals. */
export interface Interrupt {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal
  /** Ends watching. */
  dispose(): void
}

/** @param onFirst told of the first signal */
export function watchInterrupt(onFirst: () => void): Interrupt {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
    onFirst()
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  return {
    signal: controller.signal,
    dispose() {
      for (const name of SIGNALS) process.off(name, onSignal)
    },
  }
}
