import { type Command, InvalidArgumentError } from 'commander'
import type { WishedKey } from '../../operator/api.ts'
import type { LimitRule } from '../../policy/limits/rule.ts'
import { limitIn } from '../accounts/limits.ts'

/** The options of `keys mint` that narrow the key. */
export interface WishOptions {
  readonly name?: string
  readonly expires?: string
  readonly models?: readonly string[]
  readonly addresses?: readonly string[]
  readonly usdPerDay?: string
  readonly rpm?: string
  readonly limit?: readonly string[]
  readonly label?: Readonly<Record<string, string>>
}

/** Adds what narrows a new key. */
export const withWish = (command: Command): Command =>
  command
    .option('--name <name>', "the name of the key; without one, it is the account's first key")
    .option('--expires <time>', 'expire after a time such as 90d, 12h or 30m')
    .option(
      '--models <models>',
      'allow only these models of the plan, or tiers as tier:basic, separated by commas',
      listed,
    )
    .option('--addresses <networks>', 'work only from these addresses and networks, separated by commas', listed)
    .option('--usd-per-day <usd>', 'at most this many US dollars per day')
    .option('--rpm <requests>', 'at most this many requests in any 60 seconds')
    .option('--limit <limit>', "any other limit, such as 'tokens 2M per 30d'; may be given more than once", added)
    .option(
      '--label <label=value>',
      'a label for all of its requests, such as project=web; may be given more than once',
      labelled,
    )

const listed = (text: string): readonly string[] => text.split(',').map(each => each.trim())
const added = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

/** `project=web`, added to those before. */
function labelled(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Write a label as name=value, such as project=web.')
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`The label ${name} is given twice.`)
  return { ...before, [name]: value }
}

/** A command's wish for a key, as the gateway takes it. Rejects with CommandFailed where a limit is none. */
export async function wishOf(options: WishOptions): Promise<WishedKey> {
  const { name, expires, models, addresses, usdPerDay, rpm, limit = [], label: labels } = options
  const texts = [
    ...(usdPerDay === undefined ? [] : [`usd ${usdPerDay} per day`]),
    ...(rpm === undefined ? [] : [`requests ${rpm} per minute`]),
    ...limit,
  ]
  const limits: LimitRule[] = []
  for (const text of texts) limits.push(await limitIn(text))
  return {
    ...(name !== undefined && { name }),
    ...(expires !== undefined && { expires_in: expires }),
    ...(models && { models }),
    ...(addresses && { addresses }),
    ...(limits.length > 0 && { limits }),
    ...(labels && { labels }),
  }
}
