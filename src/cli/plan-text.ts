import type { Change, Effect } from '../config/diff/change.ts'
import { counted } from '../config/frame.ts'
import { workflowCommand } from '../config/report.ts'
import { painter } from './paint.ts'

interface Shown {
  /** What the candidate is compared with, as the operator named it. */
  readonly against: string
  readonly colour: boolean
}

/** Places stand below each other, unless a sentence is longer than this. */
const MOST_TEXT = 84

const SIGNS = { lost: '✗', less: '↓', other: '~', more: '+', plumbing: '·' } as const
const TONES = { lost: 'red', less: 'red', other: undefined, more: 'green', plumbing: 'dim' } as const
const SUMS: Readonly<Record<Effect, string>> = {
  lost: 'taken away',
  less: 'less',
  other: 'different',
  more: 'more',
  plumbing: 'unseen by clients',
}

/** As people read them: a line each, then how many there are. */
export function changesText(changes: readonly Change[], { against, colour }: Shown): string {
  if (changes.length === 0) return `no change in meaning against ${against}\n`
  const paint = painter(colour)
  const width = Math.min(MOST_TEXT, Math.max(...changes.map(({ text }) => text.length)))
  const lines = changes.map(({ effect, text, at }) => {
    const tone = TONES[effect]
    const sign = tone ? paint(tone, SIGNS[effect]) : SIGNS[effect]
    return `  ${sign} ${clean(text).padEnd(width)}  ${paint('dim', `${at.file}:${at.line}`)}`
  })
  const sums = Object.entries(SUMS).flatMap(([effect, said]) => {
    const count = changes.filter(change => change.effect === effect).length
    return count > 0 ? [`${count} ${said}`] : []
  })
  return `${lines.join('\n')}\n\n${counted(changes.length, 'change')} against ${against}: ${sums.join(', ')}\n`
}

/** As programs read them: a list, `kind` being lost, less, other, more or plumbing. */
export function changesJson(changes: readonly Change[]): string {
  const records = changes.map(({ effect, subject, field, from, to, text, at: { file, line } }) => {
    return { kind: effect, subject, field, from, to, text, file, line }
  })
  return `${JSON.stringify(records, null, 2)}\n`
}

/** As GitHub shows them in a pull request: a warning where clients have less. */
export const changesGithub = (changes: readonly Change[]): string =>
  changes
    .map(({ effect, subject, text, at }) => {
      const level = effect === 'lost' || effect === 'less' ? 'warning' : 'notice'
      return `${workflowCommand(level, at, subject, text)}\n`
    })
    .join('')

/** Control characters of a text in the files would move the terminal's cursor. */
const clean = (text: string): string => text.replace(/\p{Cc}/gu, ' ')
