// The contenders: each starts once per run, and they are asked in turns.
import { resolve } from 'node:path'
import { bare } from './contenders/bare.js'
import { mintKey, startGateway } from './contenders/gateway.js'
import { httpProxy } from './contenders/http-proxy.js'
import { litellm } from './contenders/litellm.js'
import { nginx } from './contenders/nginx.js'
import { portkey } from './contenders/portkey.js'
import { missingRedis, startRedis } from './contenders/redis.js'
import { sglangRouter, vllmRouter } from './contenders/routers.js'
import { cores } from './processes.js'
import { writeRequests } from './requests.js'

/** The first port to use, below the range that the kernel assigns to connections. */
const PORT = 24_100
/** Offset of Redis's port from its gateway's; the admin port is in between. */
const REDIS_ABOVE = 100
const names = { gateway: 'svc-gateway', redis: 'svc-gateway, Redis' }
let nextPort = PORT + 1

export const backendPort = PORT
export const contenderNames = {
  ...names,
  bare: bare.name,
  httpProxy: httpProxy.name,
  nginx: nginx.name,
  portkey: portkey.name,
  litellm: litellm.name,
  vllmRouter: vllmRouter.name,
  sglangRouter: sglangRouter.name,
  direct: 'direct',
}

const gateway = {
  name: names.gateway,
  isGateway: true,
  start: place => startGateway({ ...place, name: 'gateway' }),
}

export const gatewayOnRedis = {
  name: names.redis,
  isGateway: true,
  missing: missingRedis,
  start: async place => {
    const redis = await startRedis({ ...place, port: place.port + REDIS_ABOVE, core: place.redisCore })
    return { ...(await onRedis(place, redis)), redis }
  },
}

/** Starts one more gateway on a running Redis. */
export const onRedis = (place, redis) =>
  startGateway({ ...place, name: 'gateway-redis', store: `redis://127.0.0.1:${redis.port}/0` })

const everybody = [gateway, gatewayOnRedis, bare, httpProxy, nginx, portkey, vllmRouter, sglangRouter, litellm]

/** The contenders that were chosen, or all; or this gateway next to the build of another directory, or next to itself without some of its fast paths. */
export function contendersOf({ against, without, contenders }) {
  if (against === undefined && without === undefined)
    return everybody.filter(
      ({ name }) => contenders === undefined || contenders.some(each => contenderNames[each] === name),
    )
  const others = []
  if (against !== undefined)
    others.push({
      ...gateway,
      name: `the build of ${against}`,
      start: place => gateway.start({ ...place, root: resolve(against) }),
    })
  if (without !== undefined)
    others.push({
      ...gateway,
      name: `without ${without}`,
      start: place => gateway.start({ ...place, env: { SVC_WITHOUT: without } }),
    })
  return [gateway, ...others]
}

/** Files of a contender are named after its port, so no two in a run share a name. */
export const portOfItsOwn = () => nextPort++

/** Starts a contender on a port of its own, with its request files. `stop` ends everything that belongs to it. */
export async function open(contender, { directory, core = cores.contender, redisCore = cores.rest }) {
  const place = { port: portOfItsOwn(), backend: PORT, directory, core, redisCore }
  const started = await contender.start(place)
  const key = contender.isGateway ? mintKey(started) : 'svc_bench'
  const headers = contender.headers?.(PORT)
  const requests = writeRequests(directory, `${place.port}`, { key, headers })
  const stop = async () => {
    await started.stop()
    await started.redis?.stop()
  }
  const { name, isGateway } = contender
  return { ...started, name, isGateway, requests, stop, place, key }
}

/** The backend itself, called in the same way as the contenders. */
export const direct = directory => ({
  name: contenderNames.direct,
  ports: [PORT],
  pids: [],
  requests: writeRequests(directory, 'direct', { key: 'svc_bench' }),
  stop: async () => {},
})
