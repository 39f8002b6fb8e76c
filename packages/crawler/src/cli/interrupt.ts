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
  // Whoever reads the events has gone: nobody to work for, and a second error is no second Ctrl-C.
  const onBrokenPipe = (): void => {
    if (!controller.signal.aborted) controller.abort()
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  process.stdout.on('error', onBrokenPipe)
  return {
    signal: controller.signal,
    dispose() {
      for (const name of SIGNALS) process.off(name, onSignal)
      process.stdout.off('error', onBrokenPipe)
    },
  }
}
