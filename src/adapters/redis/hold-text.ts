import type { Charge, Hold } from '../../policy/counters/account-counters.ts'
import type { Mutable } from '../../policy/decision.ts'
import type { HeldRules, Weight } from '../../policy/limits/rule-claim.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { CHECKPOINT, type Checkpoint, HOLD } from '../../records/hold.ts'
import { optionalIn } from '../../records/shape.ts'
import { NumbersText, textsBy } from './places.ts'

// A hold is a hash, whose fields have what follows: its numbers as one text, which scripts read by place, and beside them its names
// and what it holds of rules.

/** Fields stored beside a hold's numbers: its names, the rule counters it holds, and where it holds them. */
type BesideNumbers = 'requestId' | 'account' | 'window' | 'rules' | 'apart'
/** The weight in rules includes the prompts of earlier rounds, and no round spends pieces. */
type BesideSpent = 'input' | 'pieces'

type HoldNumber =
  | Exclude<keyof Hold, BesideNumbers | 'spent'>
  | `spent${Capitalize<Exclude<keyof Charge, BesideSpent>>}`

/**
 * A new field of a hold does not compile until it has its place: the next, which no field ever had. `node scripts/generate.js`
 * writes redis/holds/hold.lua from here.
 */
export const HOLD_TEXT = new NumbersText<HoldNumber>(
  { output: 0, tokens: 1, cost: 2, second: 3, at: 4, round: 5, spentTokens: 6, spentCost: 7 },
  optionalIn(HOLD) as readonly HoldNumber[],
)

/** Encodes a request's weight in rule counters, as HOLD_TEXT does a hold; the source of redis/holds/weight.lua. */
export const WEIGHT_TEXT = new NumbersText<keyof Weight>({ input: 0, output: 1, images: 2, seconds: 3, cost: 4 })

export function holdText(hold: Hold): string {
  const { tokens: spentTokens, cost: spentCost } = hold.spent
  return HOLD_TEXT.textOf({ ...hold, spentTokens, spentCost })
}

/** The names of a hold, which are stored next to its numbers. */
export interface HoldNames extends Pick<Hold, 'requestId' | 'account' | 'window'> {}

/** Reads the numbers of a hold as scripts write them. */
export function readHold(text: string, { requestId, account, window }: HoldNames, rules?: HeldRules): Hold {
  const { spentTokens, spentCost, ...numbers } = HOLD_TEXT.read(text)
  const hold: Mutable<Hold> = {
    ...{ requestId, account, window, ...numbers },
    cost: nanoUsd(numbers.cost),
    spent: { tokens: spentTokens, cost: nanoUsd(spentCost) },
  }
  if (rules) hold.rules = rules
  return hold
}

/** The fields of the hash that a backup reads, by the names that scripts have for them. */
export const HOLD_FIELDS = [
  'state',
  'account',
  'window',
  'hold',
  'readings',
  'checkpoint',
  'shared',
  'resumed',
  'rules',
  'cells',
  'weight',
] as const

export type HoldTexts = Partial<Record<(typeof HOLD_FIELDS)[number], string>>

export const holdTexts = (texts: readonly (string | null | undefined)[]): HoldTexts => textsBy(HOLD_FIELDS, texts)

/** A checkpoint as text, without the hold, which the store has. */
export function checkpointText(checkpoint: Checkpoint): string {
  const kept: Record<string, unknown> = {}
  for (const name of CHECKPOINT_NAMES) kept[name] = checkpoint[name]
  return JSON.stringify(kept)
}

const CHECKPOINT_NAMES = Object.keys(CHECKPOINT) as readonly (keyof Checkpoint)[]

export const readCheckpoint = (text: string): Checkpoint => JSON.parse(text) as Checkpoint
