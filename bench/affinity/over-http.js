// Agents through real gateways, before replicas over HTTP with vLLM's block cache: what do they find there?
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, start, stop } from '../compare/processes.js'
import { playOver } from './player.js'
import { openSite } from './site.js'
import { agents } from './workloads.js'

const program = fileURLToPath(new URL('replicas.js', import.meta.url))
const REPLICAS = 4
/** Engines, clients and their pauses run so many times faster; news between processes does not. */
const SPEED = 4
/** A replica holds 360,000 tokens in blocks of 64. */
const BLOCKS = 5625
const AGENTS = 12
const DIALOGUES = 20
const LEAST = 0.92

const SITES = [
  { name: 'busy, 1 worker', balance: 'busy', workers: 1 },
  { name: '1 worker', balance: 'prefix', workers: 1, least: LEAST },
  { name: '4 workers', balance: 'prefix', workers: 4, least: LEAST },
  { name: '2 gateways on one Redis', balance: 'prefix', gateways: 2, least: LEAST },
]

/** Plays all sites one after the other and prints a line for each. Returns how many missed their gate. */
export async function playAllOverHttp() {
  let missed = 0
  for (const { name, least = 0, ...options } of SITES) {
    const { rows, failed } = await playSite(options)
    const sum = of => rows.reduce((total, row) => total + of(row), 0)
    const firsts = rows.map(({ first }) => first).sort((a, b) => a - b)
    const first = share => `${(1000 * firsts[Math.floor(share * (firsts.length - 1))]).toFixed(0)} ms`
    const hit = sum(({ cached }) => cached) / sum(({ prompt }) => prompt)
    const isMet = hit >= least && failed === 0
    if (!isMet) missed++
    const gate = least > 0 ? `  ${isMet ? '✓' : '✗'} ≥ ${100 * least} % found, none failed` : ''
    const figures = `found ${(100 * hit).toFixed(1)} %, first token ${first(0.5)}, 95 % within ${first(0.95)}`
    console.log(`agents, ${name.padEnd(24)} ${figures}, ${rows.length} requests, ${failed} failed${gate}`)
  }
  return missed
}

async function playSite(options) {
  const directory = await mkdtemp(join(tmpdir(), 'affinity-'))
  const ports = []
  for (let n = 0; n < REPLICAS; n++) ports.push(await freePort())
  const command = [process.execPath, program, ...[SPEED, BLOCKS, ...ports].map(String)]
  const engines = await start(command, { core: null, port: ports.at(-1) })
  const site = await openSite({ directory, replicas: ports, ...options })
  try {
    const dialogues = agents({ rate: 1, until: 2 * DIALOGUES }).slice(0, DIALOGUES)
    const keys = new Map()
    for (const account of new Set(dialogues.map(each => each.account))) keys.set(account, await site.mint(account))
    return await playOver({ urls: site.urls, keys, dialogues, agents: AGENTS, speed: SPEED })
  } finally {
    await site.stop()
    await stop(engines)
    await rm(directory, { recursive: true, force: true })
  }
}
