import type { JsonObject } from '../../json-safety.ts'

/** Where the events of items go. */
export interface OutputSink {
  /** Makes an identifier that begins so. */
  newId(prefix: string): string
  emit(type: string, fields: JsonObject): void
}
