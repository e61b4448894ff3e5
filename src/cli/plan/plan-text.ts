import type { Change, Effect } from '../../config/diff/rule.ts'
import { counted } from '../../config/format/code-frame.ts'
import { workflowCommand, workflowNotice } from '../../config/format/problem-formats.ts'
import { painter } from '../../server/paint.ts'
import { jsonText } from '../../wire/printable.ts'
import { foldedText, placedLines } from '../placed.ts'
import type { Planned } from './planned.ts'
import { touchesLines, touchesRecord } from './touches-text.ts'

const SIGNS = { lost: '✗', less: '↓', other: '~', more: '+', plumbing: '·' } as const
const TONES = { lost: 'red', less: 'red', other: undefined, more: 'green', plumbing: 'dim' } as const
const SUMS: Readonly<Record<Effect, string>> = {
  lost: 'taken away',
  less: 'less',
  other: 'different',
  more: 'more',
  plumbing: 'unseen by clients',
}

/** As people read it: a line for each change, whom they touch, and how many there are. */
export function planText(planned: Planned, colour: boolean): string {
  const { against, title, changes, touches } = planned
  if (changes.length === 0) return `${foldedText(nothingText(planned))}\n`
  const touched = touchesLines(touches).map(line => `\n${foldedText(`  ${line}`, 2)}`)
  const parts = [
    ...(title === undefined ? [] : [foldedText(title)]),
    changeLines(changes, painter(colour)).join('\n'),
    ...(touched.length > 0 ? [`Whom it touches${touched.join('')}`] : []),
    foldedText(`${counted(changes.length, 'change')} against ${against}: ${sumsText(changes)}`),
  ]
  return `${parts.join('\n\n')}\n`
}

/** What a gateway serves may be written otherwise: that can be applied too. */
const nothingText = ({ against, title, isSame }: Planned): string =>
  `no change in meaning against ${against}${title !== undefined && !isSame ? ', only texts differ' : ''}`

function changeLines(changes: readonly Change[], paint: ReturnType<typeof painter>): readonly string[] {
  const placed = changes.map(({ effect, text, at }) => {
    const tone = TONES[effect]
    const sign = tone ? paint(tone, SIGNS[effect]) : SIGNS[effect]
    return { head: `  ${sign} `, text: clean(text), place: `${at.file}:${at.line}` }
  })
  return placedLines(placed, 4, paint)
}

const sumsText = (changes: readonly Change[]): string =>
  Object.entries(SUMS)
    .flatMap(([effect, said]) => {
      const count = changes.filter(change => change.effect === effect).length
      return count > 0 ? [`${count} ${said}`] : []
    })
    .join(', ')

/** As programs read it. */
export const planJson = (planned: Planned): string => `${jsonText(planRecord(planned), 2)}\n`

/** `kind` is lost, less, other, more or plumbing; a number that could not be counted is null. */
export const planRecord = ({ against, changes, touches }: Planned): object => ({
  against,
  changes: changes.map(({ effect, subject, field, from, to, text, at: { file, line } }) => {
    return { kind: effect, subject, field, from, to, text, file, line }
  }),
  touches: touchesRecord(touches),
})

/** As GitHub shows it in a pull request: a warning where clients have less, and a notice of whom it touches. */
export function planGithub({ changes, touches }: Planned): string {
  const told = changes.map(({ effect, subject, text, at }) => {
    const level = effect === 'lost' || effect === 'less' ? 'warning' : 'notice'
    return workflowCommand(level, at, subject, text)
  })
  const touched = touchesLines(touches).map(line => line.trim())
  const notice = touched.length > 0 ? [workflowNotice('whom it touches', touched.join('; '))] : []
  return [...told, ...notice].map(line => `${line}\n`).join('')
}

/** Control characters of a text in the files would move the terminal's cursor. */
const clean = (text: string): string => text.replace(/\p{Cc}/gu, ' ')
