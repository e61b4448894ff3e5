import { diffTexts, type TextDiff, type TextSides } from '../../config/diff/texts.ts'
import { renderText } from '../../config/format/problem-text.ts'
import type { Env } from '../../config/model/variables.ts'
import type { Problem } from '../../config/problem.ts'
import type { RevisionFiles } from '../../gateway/revision.ts'
import type { Compared } from '../../http/changes.ts'
import type { Millis } from '../../policy/config.ts'
import { doneApart } from '../apart.ts'

/** Compares two kept revisions, as if their files lay where those of the gateway do. Rejects only on a bug. */
export type Compare = (from: RevisionFiles, to: RevisionFiles) => Promise<Compared>

/** Compares in a thread of its own, one pair after the other, so that requests do not wait for it. */
export function compareApart(directory: string, env: Env): Compare {
  let last: Promise<unknown> = Promise.resolve()
  return (from, to) => {
    const task: TextSides = { from: from.files, to: to.files, directory, env: { ...env } }
    const next = last.then(() => doneApart<TextDiff>(new URL('worker.js', import.meta.url), task, MOST_MS))
    last = next.catch(() => {})
    return next.then(diff => (typeof diff === 'string' ? tooMuch(diff, to) : comparedOf(diff, from, to)))
  }
}

/** Compares in this thread. */
export const compareHere =
  (directory: string, env: Env): Compare =>
  async (from, to) =>
    comparedOf(diffTexts({ from: from.files, to: to.files, directory, env }), from, to)

/** A thread that takes longer is ended. */
const MOST_MS: Millis = 30_000

function comparedOf(diff: TextDiff, from: RevisionFiles, to: RevisionFiles): Compared {
  if (!('broken' in diff)) return diff
  const { broken, problems, text } = diff
  return { denial: { code: 'REVISION_INVALID', number: (broken === 'from' ? from : to).number, problems, text } }
}

function tooMuch(what: 'time' | 'memory', { number, files }: RevisionFiles): Compared {
  const message = `comparing these files takes too much ${what}`
  const hint = 'compare the files themselves: svcctl plan --against'
  const at = { file: files[0]?.file ?? '', line: 1, column: 1 }
  const problem: Problem = { ...at, rule: 'large-files', severity: 'error', message, hint }
  return { denial: { code: 'REVISION_INVALID', number, problems: [problem], text: renderText([problem], new Map()) } }
}
