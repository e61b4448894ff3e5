import type { Left } from './section.ts'

/** The report of an import: comments by the field that they stand above, and all that was not imported. */
export class Report {
  readonly left: Left[] = []
  readonly comments = new Map<string, readonly string[]>()

  /** `path` is a field of what is written, such as `pools/cloud`. */
  put(path: string, own: readonly Left[], notes: readonly string[] = []): void {
    this.left.push(...own)
    const lines = [...notes, ...own.map(each => `Not imported: ${each.path}: ${each.why}`)]
    if (lines.length > 0) this.comments.set(path, [...(this.comments.get(path) ?? []), ...lines])
  }
}
