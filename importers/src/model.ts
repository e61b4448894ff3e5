import { type Deployment, perMillion, type Said } from './deployment.ts'
import { CATALOGUE } from './price-catalogue.ts'
import type { Left } from './section.ts'

/** The gateway that the backends come from, and their place in its files. */
export interface Whose {
  readonly gateway: string
  readonly place: string
}

/** A model from the settings of its backends, and the source of its price. Drops settings that differ and that pools cannot express. */
export function modelOf(deployments: readonly Deployment[], whose: Whose) {
  return { ...plainModelOf(deployments, whose), priced: pricedBy(deployments) }
}

function pricedBy(deployments: readonly Deployment[]): 'file' | 'catalogue' | 'nothing' {
  const said = deployments.flatMap(({ pool, model }) => (pool ? [model] : []))
  const priced = said.find(hasPrice)
  if (!priced) return 'nothing'
  return priced.listedAs === undefined ? 'file' : 'catalogue'
}

function plainModelOf(deployments: readonly Deployment[], whose: Whose) {
  const said = deployments.filter(({ pool }) => pool).map(({ model }) => model)
  const kind = said[0]?.kind ?? 'chat'
  const groups = tierOf(said, whose)
  const { tier } = groups
  if (kind === 'image') {
    const { usd = 0, ...price } = imagePriceOf(said, whose)
    return { model: { kind, tier, usd_per_image: usd }, notes: price.notes, left: [...groups.left, ...price.left] }
  }
  const { context, ...room } = contextOf(said, whose)
  const price = pricesOf(said, kind, whose)
  const notes = [...room.notes, ...price.notes]
  const left = [...groups.left, ...price.left]
  if (kind === 'embedding')
    return { model: { kind, tier, context, usd_per_1m: { input: price.usd.input } }, notes, left }
  const output = outputOf(said, context, whose)
  const vision = visionOf(said, whose)
  return {
    model: {
      ...{ kind, tier, context },
      ...(output.most !== USUAL_MAX_OUTPUT && { max_output: output.most }),
      ...(vision.isSaid && { vision: true }),
      usd_per_1m: price.usd,
    },
    notes,
    left: [...left, ...output.left, ...vision.left],
  }
}

/** A model has one tier: the first group of its backends whose name a tier may have. */
function tierOf(said: readonly Said[], { place }: Whose) {
  const groups = [...new Set(said.flatMap(each => each.groups))]
  const tier = groups.find(group => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(group)) ?? 'standard'
  const others = groups.filter(group => group !== tier)
  const why = `a model has one tier, here ${tier}: keys that name ${namesOf(others)} list the models instead`
  return { tier, left: others.length > 0 ? [{ path: `${place}.access_groups`, why }] : [] }
}

/** The largest context of its backends: pools that have less say so. */
function contextOf(said: readonly Said[], { gateway }: Whose) {
  const all = said.flatMap(each => each.context ?? [])
  const where = all.length === 0 ? 'the context' : 'the context of some of its backends'
  return {
    context: all.length === 0 ? ASSUMED_CONTEXT : Math.max(...all),
    notes:
      all.length < said.length || all.length === 0
        ? [`${gateway} has ${where} in its own list: correct it if it differs.`]
        : [],
  }
}

/** Clients pay one price, whichever backend answers: that of the first that has one. */
function pricesOf(said: readonly Said[], kind: Said['kind'], { gateway, place }: Whose) {
  const priced = said.filter(each => each.inputUsd !== undefined || each.outputUsd !== undefined)
  const first: Partial<Said> = priced[0] ?? said[0] ?? {}
  const { inputUsd, outputUsd, cachedUsd, cacheWriteUsd, listedAs } = first
  const price = (usd: number | undefined) => (usd === undefined ? 0 : perMillion(usd))
  const lists = new Set(priced.map(priceText))
  const some = priced.length > 0 && priced.length < said.length
  return {
    usd: {
      ...{ input: price(inputUsd), output: price(outputUsd) },
      ...(cachedUsd !== undefined && { cached_input: price(cachedUsd) }),
      ...(cacheWriteUsd !== undefined && { cache_write: price(cacheWriteUsd) }),
    },
    notes: [
      ...(listedAs === undefined ? [] : [reviewText(listedAs, first.hasTiers)]),
      ...unpriced(kind, inputUsd, outputUsd, gateway),
      ...(some ? [`${gateway} has the price of some of its backends in its own list: clients pay this one.`] : []),
    ],
    left: lists.size > 1 ? [{ path: `${place}.prices`, why: OTHER_PRICES }] : [],
  }
}

function imagePriceOf(said: readonly Said[], { gateway, place }: Whose) {
  const all = [...new Set(said.flatMap(each => each.imageUsd ?? []))]
  const note = `${gateway} has the price in its own list: add it, or nothing is charged.`
  return {
    usd: all[0],
    notes: all.length === 0 ? [note] : [],
    left: all.length > 1 ? [{ path: `${place}.prices`, why: OTHER_PRICES }] : [],
  }
}

/** Whether anything says what a backend costs. */
export const hasPrice = ({ inputUsd, outputUsd, imageUsd }: Said): boolean =>
  inputUsd !== undefined || outputUsd !== undefined || imageUsd !== undefined

/** The price of a backend as it is compared with that of others. */
export const priceText = ({ inputUsd, outputUsd, cachedUsd, cacheWriteUsd }: Said): string =>
  JSON.stringify([inputUsd ?? null, outputUsd ?? null, cachedUsd ?? null, cacheWriteUsd ?? null])

/** The most tokens that all of its backends answer with, and that leave room for a prompt. */
function outputOf(said: readonly Said[], context: number, { place }: Whose) {
  const all = said.flatMap(each => each.maxOutput ?? [])
  const least = all.length === 0 ? USUAL_MAX_OUTPUT : Math.min(...all)
  const most = Math.min(least, Math.max(1, Math.floor(context / 2)))
  const left: Left[] = []
  const say = (why: string) => left.push({ path: `${place}.max_output`, why })
  if (new Set(all).size > 1) say(`it is ${all.join(' and ')} of its backends: a model has one, so the smallest is used`)
  else if (all.length > 0 && all.length < said.length) say('some of its backends have none: a model has one')
  if (all.length > 0 && most < least) say(`${least} leave no room for a prompt: half of the context is used`)
  return { most, left }
}

/** Whether all of its backends take images: one that does not may be asked for any request. */
function visionOf(said: readonly Said[], { place }: Whose) {
  const having = said.filter(each => each.vision).length
  const why = 'some of its backends lack it: a model takes images only if all of them do'
  return {
    isSaid: having > 0 && having === said.length,
    left: having > 0 && having < said.length ? [{ path: `${place}.supports_vision`, why }] : [],
  }
}

/** How a price is marked that is not the operator's own. */
const reviewText = (name: string, hasTiers: boolean | undefined): string =>
  `Review the price: the file has none, and ${CATALOGUE} lists this one for \`${name}\`${hasTiers ? '; long prompts cost more there' : ''}.`

/** The parts of the price that the file lacks, so that they are 0 here. */
function unpriced(
  kind: Said['kind'],
  input: number | undefined,
  output: number | undefined,
  gateway: string,
): readonly string[] {
  if (input === undefined) return [`${gateway} has the price in its own list: add it, or budgets count nothing.`]
  if (kind === 'embedding' || output !== undefined) return []
  return [`${gateway} has the price of answers in its own list: add it, or they cost nothing.`]
}

const namesOf = (names: readonly string[]) => names.map(name => `\`${name}\``).join(' or ')

const OTHER_PRICES = 'its backends have several prices: clients pay the first, and cost_usd_per_1m is per pool'
const ASSUMED_CONTEXT = 128_000
const USUAL_MAX_OUTPUT = 4000
