import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { LONGEST } from './lanes.ts'

/**
 * Starts the longest test files of a lane first. In a new clone vitest knows nothing but the sizes of files: the contract of stores
 * in a Redis Cluster is a file of 12 lines, and ran alone for a minute after all others.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const lanes = new Set(sorted.map(({ project }) => project))
    return [...lanes].flatMap(lane => longestFirst(sorted.filter(({ project }) => project === lane)))
  }
}

/** Keeps the order of all others. */
function longestFirst(files: readonly TestSpecification[]): TestSpecification[] {
  const place = ({ moduleId }: TestSpecification): number => {
    const at = LONGEST.findIndex(file => moduleId.endsWith(`/${file}`))
    return at === -1 ? LONGEST.length : at
  }
  return [...files].sort((a, b) => place(a) - place(b))
}
