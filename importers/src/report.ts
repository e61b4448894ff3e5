import type { Left } from './section.ts'

/** The report of an import: comments by the field that they stand above, and all that was not imported. */
export class Report {
  readonly left: Left[] = []
  readonly comments = new Map<string, string[]>()

  /** `path` is a field of what is written, such as `pools/cloud`. */
  put(path: string, own: readonly Left[], notes: readonly string[] = []): void {
    const lines = this.comments.get(path) ?? []
    for (const note of notes) lines.push(note)
    for (const each of own) {
      this.left.push(each)
      lines.push(`Not imported: ${each.path}: ${each.why}`)
    }
    if (lines.length > 0) this.comments.set(path, lines)
  }
}
