/** Logging: one small interface, so that no package below the server needs a logging library. */

/** Severity of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Takes structured log lines. `fields` must be plain JSON values; a secret never belongs in them. */
export interface Logger {
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void
}

/** A logger that drops everything. */
export const nullLogger: Logger = { log() {} }

const MAX_FIELD_LENGTH = 1024

/**
 * Writes one JSON object a line: `time`, `level`, `message`, then the fields. Strings are cut at 1,024 characters;
 * control characters are escaped by JSON, so no field can forge a line.
 */
export class JsonLineLogger implements Logger {
  readonly #write: (line: string) => void

  /** @param write takes a whole line with its end */
  constructor(write: (line: string) => void) {
    this.#write = write
  }

  log(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const line = JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }, (_key, value) =>
      typeof value === 'string' && value.length > MAX_FIELD_LENGTH ? `${value.slice(0, MAX_FIELD_LENGTH)}…` : value,
    )
    this.#write(`${line}\n`)
  }
}
