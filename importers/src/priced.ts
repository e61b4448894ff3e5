import { hostOf } from './base-url.ts'
import type { Deployment, Said } from './deployment.ts'
import { hasPrice, priceText } from './model.ts'
import type { Groups } from './pools.ts'
import { CATALOGUE, listedPrice } from './price-catalogue.ts'

/** Fills in what the file has of one of several equal backends, and then prices that it has of none, from the catalogue. */
export const withPrices = (groups: Groups): Groups =>
  new Map([...groups].map(([group, deployments]) => [group, withListed(withShared(deployments))]))

/**
 * Backends that differ in their address alone are one model: what the file says of the price and context of one of them
 * holds for all, so that they become replicas of one pool.
 */
function withShared(deployments: readonly Deployment[]): readonly Deployment[] {
  return deployments.map(deployment => {
    const { pool, model } = deployment
    if (!pool) return deployment
    const alike = deployments.filter(other => likeText(other) === likeText(deployment))
    const priced = hasPrice(model) ? deployment : alike.find(other => hasPrice(other.model))
    const sized = alike.find(other => other.model.context !== undefined)
    const cost = priced?.pool?.cost_usd_per_1m
    return {
      ...deployment,
      pool: { ...pool, ...(cost !== undefined && pool.cost_usd_per_1m === undefined && { cost_usd_per_1m: cost }) },
      model: {
        ...model,
        ...(priced && pricesOf(priced.model)),
        context: model.context ?? sized?.model.context,
      },
    }
  })
}

/** All of a backend but its address, what it costs and how much it takes. */
function likeText({ pool, order, room, model: { kind } }: Deployment): string {
  if (!pool) return ''
  const { replicas: _replicas, cost_usd_per_1m: _cost, ...rest } = pool
  return JSON.stringify([kind, order, room, rest])
}

const pricesOf = ({ inputUsd, outputUsd, imageUsd, cachedUsd, cacheWriteUsd }: Said) => ({
  ...{ inputUsd, outputUsd, imageUsd, cachedUsd, cacheWriteUsd },
})

/** A price in the file is what clients pay: the catalogue is asked where there is none for the whole model. */
function withListed(deployments: readonly Deployment[]): readonly Deployment[] {
  if (deployments.some(({ model }) => hasPrice(model))) return deployments
  const priced = deployments.map(deployment => ({ ...deployment, model: listed(deployment) }))
  const isOnePrice = new Set(priced.flatMap(({ model }) => (model.listedAs ? [priceText(model)] : []))).size < 2
  if (isOnePrice) return priced
  return priced.map(({ notes, model, ...rest }) => ({
    ...{ ...rest, model },
    notes: model.listedAs ? [...notes, `Review its cost: ${CATALOGUE} lists it for \`${model.listedAs}\`.`] : notes,
  }))
}

function listed({ pool, model, offer }: Deployment): Said {
  if (!pool || !offer || model.kind === 'image' || !isAtProvider(pool.replicas, offer)) return model
  const price = listedPrice(offer.provider, offer.model)
  if (!price) return model
  const { input, output, cached, cacheWrite, isTiered } = price
  const perToken = (usd: number | undefined) => (usd === undefined ? undefined : usd / 1e6)
  const isChat = model.kind === 'chat'
  return {
    ...model,
    inputUsd: perToken(input),
    ...(isChat && { outputUsd: perToken(output), cachedUsd: perToken(cached), cacheWriteUsd: perToken(cacheWrite) }),
    listedAs: offer.model,
    hasTiers: isTiered,
  }
}

/** A server of one's own may speak like a provider, and costs something else. Azure has an address for each customer. */
function isAtProvider([replica]: readonly string[], { provider, base }: NonNullable<Deployment['offer']>): boolean {
  if (provider === 'azure') return true
  return base !== undefined && replica !== undefined && hostOf(replica) === hostOf(base)
}
