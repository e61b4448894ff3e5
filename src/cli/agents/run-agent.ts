import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandFailed } from '../../server/failure.ts'
import type { Named } from '../login/login.ts'
import { gatewayOf } from '../login/target.ts'
import type { Agent, Credential, ProcessSetup } from './agent.ts'
import { type MintedKey, mintAgentKey, revokeAgentKey, tokenCommand } from './credential.ts'
import { agentNamed, placeOf, siteOf } from './setup-run.ts'

export interface RunOptions extends Named {
  readonly model?: string
  readonly expiresIn?: string
  readonly keyLife: string
}

/** Runs an agent against the gateway: no file of its own changes, and a key that was minted for it ends with it. Exits as the agent does. */
export async function runAgent(name: string, args: readonly string[], options: RunOptions): Promise<void> {
  const agent = agentNamed(name)
  const gateway = await gatewayOf(options)
  const place = await placeOf(agent, gateway, options.model)
  const key = agent.credential === 'key' ? await mintAgentKey(gateway, agent, options.keyLife) : undefined
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-run-'))
  try {
    const site = siteOf(place, credentialOf(gateway, options.expiresIn, key))
    process.exitCode = await runWith(agent, agent.process(site), args, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    if (key && !(await revokeAgentKey(gateway, key.id).catch(() => false)))
      console.error(`▲ the key ${key.id} could not be revoked; it expires within ${options.keyLife}`)
  }
}

const credentialOf = (gateway: string, life: string | undefined, key: MintedKey | undefined): Credential =>
  key ? { kind: 'key', key: key.value } : { kind: 'command', command: tokenCommand(gateway, life) }

async function runWith(agent: Agent, setup: ProcessSetup, own: readonly string[], folder: string): Promise<number> {
  const { env = {}, args = [], file } = setup
  const path = file && join(folder, file.name)
  if (file && path !== undefined) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, file.text, { mode: 0o600 })
  }
  const named = file && path !== undefined ? file.args(path, folder) : []
  const lent = { ...env, ...(file && path !== undefined && file.env?.(path, folder)) }
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !agent.overrides.includes(name)))
  const child = spawn(agent.program, [...args, ...named, ...own], { stdio: 'inherit', env: { ...inherited, ...lent } })
  // The terminal sends an interrupt to both; what else ends this command ends the agent, and what was lent to it after that.
  const pass = (signal: NodeJS.Signals) => child.kill(signal)
  const ignore = () => {}
  process.on('SIGINT', ignore)
  for (const signal of PASSED) process.on(signal, pass)
  try {
    const [code, signal] = await once(child, 'exit')
    return code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new CommandFailed(`✗ ${agent.program} is not on the PATH: install ${agent.title}`)
    throw error
  } finally {
    process.off('SIGINT', ignore)
    for (const signal of PASSED) process.off(signal, pass)
  }
}

const PASSED = ['SIGTERM', 'SIGHUP'] as const
