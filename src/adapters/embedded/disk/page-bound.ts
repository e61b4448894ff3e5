/** The size of a commit. */
export interface CommitSize {
  /** Records that are put or removed. */
  readonly records: number
  /** Bytes of all values that may be longer than half a page. */
  readonly bytes?: number
}

/** The pages in the file after the last commit. */
export interface TreeUse {
  /** That of the system that began the file: 4 KB as a rule. */
  readonly pageBytes: number
  /** The number of the last page that has ever been used. */
  readonly lastPage: number
  /** Pages of the list of free pages. */
  readonly freeListPages: number
}

/**
 * The most pages that a commit can take from the end of the file. LMDB writes no page in place: each record copies its leaf,
 * may split it, and may lie in a page of its own; the branches above are shared, and there are far fewer of them than leaves.
 * The free list is written anew.
 */
export function pagesFor({ records, bytes = 0 }: CommitSize, { pageBytes, lastPage, freeListPages }: TreeUse): number {
  const branches = Math.min(Math.max(Math.ceil(lastPage / 64), LEAST_BRANCHES), MOST_BRANCHES)
  return branches + PAGES_PER_RECORD * records + Math.ceil((2 * bytes) / pageBytes) + 2 * freeListPages
}

const PAGES_PER_RECORD = 3
/** Those of the paths to about 30 tables. */
const LEAST_BRANCHES = 256
const MOST_BRANCHES = 2048
