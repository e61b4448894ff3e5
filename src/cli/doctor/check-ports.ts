import { once } from 'node:events'
import { createServer } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Address } from '../../config/model/formats.ts'
import type { AdminTlsSettings, Loaded } from '../../config/settings.ts'
import type { Finding } from '../../gateway/doctor/finding.ts'
import { type ClientTls, clientTls } from '../../operator/client-tls.ts'
import { urlOf } from '../../operator/connect.ts'
import { ask } from '../../operator/http.ts'
import { isRunning } from '../../operator/remote.ts'
import { withoutFraction } from '../../server/log/terminal-text.ts'
import { isObject, type JsonObject } from '../../wire/json-safety.ts'
import { codeOf } from './report.ts'

/** Whether a gateway of this configuration could listen, or does. */
export async function checkPorts(loaded: Loaded): Promise<{ readonly finding: Finding; readonly runs: boolean }> {
  const { listen, admin, adminTls } = loaded.settings.server
  const common = { check: 'ports', subject: `${addressText(listen)} ${addressText(admin)}` }
  if (admin.port !== 0 && (await isRunning(urlOf(reachable(admin), adminTls !== undefined), tlsFor(adminTls))))
    return { finding: { ...common, ...(await running(loaded)) }, runs: true }
  const addresses = [listen, admin]
  const problems = await Promise.all(addresses.map(whyNot))
  const [bad] = problems.flatMap((code, at) => (code === undefined ? [] : [{ code, address: addresses[at] ?? listen }]))
  if (bad) return { finding: { ...common, state: 'problem', ...taken(bad.code, bad.address) }, runs: false }
  const ports = addresses.filter(({ port }) => port !== 0).map(({ port }) => port)
  const text = ports.length === 0 ? 'any will do' : `${ports.join(' and ')} ${ports.length === 1 ? 'is' : 'are'} free`
  return { finding: { ...common, state: 'ok', text }, runs: false }
}

/** The finding on the gateway that runs here. */
async function running({ config, settings }: Loaded): Promise<Pick<Finding, 'state' | 'text' | 'hint'>> {
  const { listen, admin, adminTls } = settings.server
  const [own, clients] = await Promise.all([readiness(admin, tlsFor(adminTls)), readiness(listen)])
  if (own === 'silent') {
    const text = `the process at ${addressText(admin)} did not report readiness within ${PATIENCE_MS / 1000} s`
    return {
      state: 'problem',
      text,
      hint: 'Check whether the machine is overloaded. Otherwise stop that process, or choose another server.admin.',
    }
  }
  if (!own || (own.status !== 'ready' && own.code === undefined)) {
    const hint = 'End it, or choose another server.admin.'
    return { state: 'problem', text: `the process at ${addressText(admin)} is not a gateway`, hint }
  }
  if (own.status !== 'ready')
    return {
      state: 'warning',
      text: 'the gateway running here is shutting down',
      hint: 'Run this again when it has ended.',
    }
  if (clients === 'silent' || clients?.status !== 'ready') {
    const text = `the gateway running here does not answer clients at ${addressText(listen)}`
    return { state: 'problem', text, hint: 'Does it use other files, with another server.listen?' }
  }
  if (own.store === 'unavailable') {
    const text = 'the gateway running here cannot reach its store, and refuses every request'
    return { state: 'problem', text, hint: 'See the store check below.' }
  }
  const silent = workersOf(own).filter(({ state }) => state !== 'serving')
  if (silent.length > 0) {
    const text = `workers of the gateway running here do not serve:  ${silent.map(({ worker, state }) => `${worker} (${state})`).join(', ')}`
    return {
      state: 'warning',
      text,
      hint: "Run this again in a moment. If it persists, see the gateway's log for the reason.",
    }
  }
  const ended = workersOf(own).filter(({ restarts }) => Number(restarts) >= OFTEN)
  if (ended.length > 0) {
    const each = ended.map(
      ({ worker, restarts, started_at }) =>
        `${worker} (${restarts} times, last at ${withoutFraction(String(started_at))})`,
    )
    const text = `workers of the gateway running here ended and were restarted: ${each.join(', ')}`
    return {
      state: 'warning',
      text,
      hint: 'The alarm `a worker ended` has the reason; svcctl fleet shows each worker.',
    }
  }
  if (own.revision !== config.revision) {
    const text = `the gateway running here uses revision ${String(own.revision)}, these files are ${config.revision}`
    return { state: 'warning', text, hint: 'svcctl reload loads these files; svcctl plan shows what changes.' }
  }
  const workers = workersOf(own).length
  const by = workers === 0 ? '' : ` and ${workers} workers`
  return { state: 'ok', text: `a gateway runs here, ready, with revision ${config.revision}${by}` }
}

/** One that was killed by hand is no sign. */
const OFTEN = 3

/** The processes that serve clients, of a gateway that has several. */
const workersOf = ({ workers }: JsonObject): readonly JsonObject[] =>
  Array.isArray(workers) ? workers.filter(isObject) : []

const PATIENCE_MS = 10_000

/** The answer of /readyz; undefined where it is not JSON. */
async function readiness(address: Address, tls?: ClientTls): Promise<JsonObject | 'silent' | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  try {
    const said: unknown = await json(
      await ask(`${urlOf(reachable(address), tls !== undefined)}/readyz`, { signal, tls }),
    )
    return isObject(said) ? said : undefined
  } catch {
    // Whatever the reason, it does not report readiness.
    return signal.aborted ? 'silent' : undefined
  }
}

/** How to connect to the gateway of these files, with its own certificate. */
const tlsFor = (adminTls: AdminTlsSettings | undefined): ClientTls | undefined =>
  adminTls && clientTls(adminTls.certificate.reveal())

/** A listener on every address also listens on loopback. */
function reachable({ host, port }: Address): Address {
  if (host === '0.0.0.0') return { host: '127.0.0.1', port }
  return host === '::' ? { host: '::1', port } : { host, port }
}

/** The code of the error with which a listener would not start. */
async function whyNot({ host, port }: Address): Promise<string | undefined> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return codeOf(error) ?? String(error)
  } finally {
    server.close()
  }
}

function taken(code: string, address: Address): Pick<Finding, 'text' | 'hint'> {
  const place = addressText(address)
  if (code === 'EADDRINUSE')
    return {
      text: `${place} is taken by another process`,
      hint: `Stop it, or choose another address. To find it: ss -ltnp 'sport = :${address.port}'`,
    }
  if (code === 'EACCES')
    return {
      text: `this user may not listen on ${place}`,
      hint: 'Choose a port of 1024 or higher, with a proxy in front.',
    }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return { text: `${address.host} is not an address of this machine`, hint: '0.0.0.0 listens on all of them.' }
  return { text: `cannot listen on ${place}: ${code}`, hint: 'Choose another address.' }
}

const addressText = ({ host, port }: Address): string => `${host.includes(':') ? `[${host}]` : host}:${port}`
