import { type Meter, type Passthrough, placeOf, type Upgrade } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import { durationText } from '../model/units.ts'
import {
  type Change,
  compare,
  compareNamed,
  type Effect,
  highIsMore,
  type Own,
  other,
  parts,
  type Rules,
  type Said,
  type Sides,
  value,
} from './changes.ts'
import { count, listed, size, usd, without } from './values.ts'

/** The changes of pass-through routes. Their order means nothing. */
export function comparePassthrough({ before, after }: Sides): readonly Change[] {
  const [was, is] = [before.loaded.config.passthrough, after.loaded.config.passthrough]
  const told = (from: string | null, to: string | null, text: string, effect: Effect): Said => ({
    ...{ field: 'passthrough', from, to, text, effect },
  })
  return compareNamed(was, is, after.loaded, {
    subject: path => path,
    gone: ({ name }) => told(name, null, `${name} is no longer passed through`, 'lost'),
    added: ({ name, model, meter, upgrade }) => {
      const to = upgrade ? `${model.name} as a WebSocket` : model.name
      return told(null, name, `${name} is passed through to ${to}, for ${meterText(meter)}`, 'more')
    },
    stayed: (route, next) => compare<Own<Passthrough>>(RULES, next.name, [route, next], field => placeOf(next, field)),
  })
}

const RULES: Rules<Own<Passthrough>> = {
  methods: (from, to, subject) => lists('methods', from, to, subject),
  model: (from, to, subject) => value<string>('model', String, other)(from.name, to.name, subject),
  accepts: (from, to, subject) => lists('accepts', from, to, subject),
  maxBody: value('max_body', size, highIsMore),
  upgrade: upgradeRule,
  meter: meterRule,
}

function lists(field: string, from: readonly string[], to: readonly string[], subject: string): readonly Said[] {
  const said = (verb: string, each: string, effect: Effect): Said => ({
    ...{ field, from: listed(from), to: listed(to), text: `${subject} ${verb} ${each}`, effect },
  })
  return [
    ...without(from, to).map(each => said('no longer takes', each, 'lost')),
    ...without(to, from).map(each => said('now takes', each, 'more')),
  ]
}

const BOUNDS = parts<Upgrade>({
  maxSession: value('max_session', durationText, highIsMore),
  idleTimeout: value('idle_timeout', durationText, highIsMore),
  maxMessage: value('max_message', size, highIsMore),
})

function upgradeRule(from: Upgrade | undefined, to: Upgrade | undefined, subject: string): readonly Said[] {
  if (from && to) return BOUNDS(from, to, subject)
  if (from === to) return []
  const [was, is] = [from, to].map(upgrade => (upgrade ? 'websocket' : null))
  const text = `${subject} ${to ? 'is a WebSocket now' : 'is no longer a WebSocket'}`
  return [{ field: 'upgrade', from: was ?? null, to: is ?? null, text, effect: 'lost' }]
}

function meterRule(from: Meter, to: Meter, subject: string): readonly Said[] {
  const [was, is] = [meterText(from), meterText(to)]
  if (was === is) return []
  const effect = from.by === to.by ? costlier(from, to) : 'other'
  return [{ field: 'meter', from: was, to: is, text: `${subject}: meter ${was} → ${is}`, effect }]
}

/** The amount held follows the price, and bounds how large a request may be. */
function costlier(from: Meter, to: Meter): Effect {
  const price = (meter: Meter): NanoUsd | undefined => (meter.by === 'usage' ? undefined : meter.price)
  const [was, is] = [price(from), price(to)]
  if (was === undefined || is === undefined || was === is) return 'other'
  return is > was ? 'less' : 'more'
}

/** `0.01 USD a call`, `0.0002 USD a second, at most 120`. */
function meterText(meter: Meter): string {
  if (meter.by === 'usage') return `the usage of at most ${count(meter.input)} tokens in and ${count(meter.output)} out`
  const price = `${usd(meter.price)} USD a ${meter.by === 'mb' ? 'MB' : meter.by}`
  return meter.by === 'call' ? price : `${price}, at most ${count(meter.max)}`
}
