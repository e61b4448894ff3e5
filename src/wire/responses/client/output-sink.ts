import type { JsonObject } from '../../json-safety.ts'

/** Where the events of items go. */
export interface OutputSink {
  /** Makes an identifier that begins so. */
  newId(prefix: string): string
  emit(type: string, fields: JsonObject): void
  /** Whether events go to a client as they are emitted, so that what they say need not be said again. */
  readonly isStreamed: () => boolean
}
