import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { openBackends } from '../adapters/backends.ts'
import { openIdentity } from '../adapters/identity/identity.ts'
import type { Address, Loaded } from '../config/settings.ts'
import { Leases } from '../gateway/leases.ts'
import type { Alarm } from '../gateway/ports.ts'
import { Replicas } from '../gateway/replicas.ts'
import type { Store } from '../gateway/store.ts'
import { startUpkeep } from '../gateway/upkeep.ts'
import { adminEndpoints } from '../http/admin.ts'
import type { App } from '../http/endpoint.ts'
import { publicEndpoints } from '../http/public.ts'
import { type LogEntry, serve } from '../http/server.ts'
import { ensureGuestSecrets } from './guest-secret.ts'
import { lockState, openStore } from './store.ts'
import type { World } from './world.ts'

/** A gateway that serves. */
export interface RunningGateway {
  readonly store: Store
  readonly app: App
  readonly listen: Address
  readonly admin: Address
  /** Takes no more requests, lets those under way end for at most `graceMs`, then closes the store. */
  close(graceMs: number): Promise<void>
  /** Cuts the requests under way; what they said so far is settled. */
  cut(): void
}

export interface GatewayHooks {
  readonly adminToken: string
  readonly log: (entry: LogEntry) => void
  readonly alarm: Alarm
}

/** Wires the adapters and starts both listeners. Rejects, with nothing left open, when one cannot start. */
export async function startGateway(loaded: Loaded, world: World, hooks: GatewayHooks): Promise<RunningGateway> {
  const { config, settings } = loaded
  const state = await lockState(settings)
  const store = await openStore(settings, world, hooks.alarm, 'gateway').catch(async error => {
    await state.release()
    throw error
  })
  const guestSecrets = await ensureGuestSecrets(settings, world.random).catch(async error => {
    await store.close()
    await state.release()
    throw error
  })
  const { clock } = world
  const identity = settings.identity && openIdentity({ ...settings.identity, clock, alarm: hooks.alarm })
  const backends = openBackends(settings.backends)
  const leases = new Leases(store, clock, hooks.alarm)
  const stopUpkeep = startUpkeep(store, clock, settings.ledger.keep, hooks.alarm)
  let ready = true
  const app: App = {
    config,
    settings,
    store,
    send: backends.send,
    ...world,
    replicas: new Replicas(),
    leases,
    alarm: hooks.alarm,
    loadedAt: clock.now(),
    guestSecrets,
    ...(identity && { verify: identity.verify }),
    adminToken: hooks.adminToken,
    ready: () => ready,
  }
  const servers = [serve(app, publicEndpoints, hooks.log), serve(app, adminEndpoints, () => {})] as const
  const close = async (graceMs: number) => {
    ready = false
    await Promise.all(servers.map(server => closeServer(server, graceMs)))
    identity?.close()
    await backends.close()
    // Requests whose backend went with this settle first.
    await setImmediate()
    leases.stop()
    stopUpkeep()
    await store.close()
    await state.release()
  }
  try {
    const [listen, admin] = [
      await listenAt(servers[0], settings.server.listen),
      await listenAt(servers[1], settings.server.admin),
    ]
    const cut = () => {
      for (const server of servers) server.closeAllConnections()
    }
    return { store, app, listen, admin, close, cut }
  } catch (error) {
    await close(0)
    throw error
  }
}

async function listenAt(server: Server, { host, port }: Address): Promise<Address> {
  server.listen(port, host)
  await once(server, 'listening')
  const { port: bound } = server.address() as AddressInfo
  return { host, port: bound }
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(cut)
}
