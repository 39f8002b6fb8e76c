/** Ctrl-C and its kin, for commands that run until they are told to stop. */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Watches for the wish to stop, from its making until `dispose`. */
export interface StopSignals {
  /** Resolves with the first signal. */
  readonly stopped: Promise<NodeJS.Signals>
  /** The same for whoever takes an AbortSignal. */
  readonly signal: AbortSignal
  dispose(): void
}

/** @param again called for every further signal: the user will not wait */
export function watchStopSignals(again: () => void): StopSignals {
  const controller = new AbortController()
  let resolve: (signal: NodeJS.Signals) => void = () => {}
  const stopped = new Promise<NodeJS.Signals>((r) => {
    resolve = r
  })
  const listener = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) {
      again()
      return
    }
    resolve(signal)
    controller.abort()
  }
  for (const signal of SIGNALS) process.on(signal, listener)
  return {
    stopped,
    signal: controller.signal,
    dispose() {
      for (const signal of SIGNALS) process.off(signal, listener)
    },
  }
}
