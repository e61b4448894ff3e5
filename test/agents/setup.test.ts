import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileProgram, type Program } from '../cli/program.ts'
import { HANGS_MS } from '../lanes/hangs.ts'
import type { OidcServer } from '../support/identity/oidc.ts'
import { letSignIn, signInTo } from '../support/identity/signed-in.ts'
import type { Script } from './model/conversation.ts'
import { playWorkshop, STATION, TASK } from './model/workshop.ts'
import { type Ended, makeSite, runAgent } from './support/agent.ts'
import { type Client, isInstalled } from './support/installed.ts'
import { chargeFor, MODEL, type Rig, startRig } from './support/rig.ts'

/** An agent as svcctl sets it up, signed in at a real provider. */
interface Agent {
  /** Undefined for a program of install-heavy.sh. */
  readonly client?: Client
  /** The model, where the agent has no tools. */
  readonly plays?: Script
  /** A file that it has already, by its path from the home directory. */
  readonly existing?: readonly [path: string, text: string]
  /** Settings of the test alone: nothing updates itself or reports home. */
  readonly env?: Readonly<Record<string, string>>
  readonly program: string
  readonly args: (task: string) => readonly string[]
  /** True where it asks for its credential again. */
  readonly renews?: true
  /** The models that it knows, as it prints them. */
  readonly models?: (bench: Bench) => readonly { readonly name: string; readonly context: number }[]
  /** True where it formats its file anew, and adds to it. */
  readonly rewrites?: true
}

const AGENTS: Readonly<Record<string, Agent>> = {
  claude: {
    client: { registry: 'npm', name: '@anthropic-ai/claude-code' },
    existing: ['.claude/settings.json', '{\n    "env": { "KEPT": "1" },\n    "cleanupPeriodDays": 9\n}\n'],
    env: { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', IS_SANDBOX: '1' },
    program: 'claude',
    args: task => ['-p', task, '--dangerously-skip-permissions'],
    renews: true,
  },
  codex: {
    client: { registry: 'npm', name: '@openai/codex' },
    existing: [
      '.codex/config.toml',
      '# mine\ncheck_for_update_on_startup = false\nmodel = "other"\n\n[analytics]\nenabled = false # never\n',
    ],
    program: 'codex',
    args: task => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', task],
    models: ({ home, work }) => {
      const printed = execFileSync(join(BIN, 'codex'), ['debug', 'models'], {
        cwd: work,
        env: { HOME: home, PATH: process.env.PATH },
        stdio: ['ignore', 'pipe', 'ignore'],
        encoding: 'utf8',
      })
      const { models } = JSON.parse(printed) as { models: readonly { slug: string; context_window: number }[] }
      return models.map(({ slug, context_window }) => ({ name: slug, context: context_window }))
    },
    renews: true,
  },
  opencode: {
    client: { registry: 'npm', name: 'opencode-ai' },
    existing: [
      '.config/opencode/opencode.json',
      '{ "autoupdate": false, "share": "disabled", "permission": { "edit": "allow", "bash": "allow" } }',
    ],
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    program: 'opencode',
    rewrites: true,
    args: task => ['run', task],
  },
  qwen: {
    client: { registry: 'npm', name: '@qwen-code/qwen-code' },
    existing: [
      '.qwen/settings.json',
      JSON.stringify({
        general: { disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
      }),
    ],
    program: 'qwen',
    rewrites: true,
    args: task => ['-y', '-p', task],
  },
  cline: {
    client: { registry: 'npm', name: 'cline' },
    env: { CLINE_SESSION_BACKEND_MODE: 'local', CLINE_NO_AUTO_UPDATE: '1' },
    program: 'cline',
    args: task => ['--json', task],
  },
  continue: {
    client: { registry: 'npm', name: '@continuedev/cli' },
    existing: [
      '.continue/config.yaml',
      '# mine\nname: own\nversion: 1.0.0\nschema: v1\nrules:\n  - Be brief. # please\n',
    ],
    env: { CONTINUE_CLI_ENABLE_TELEMETRY: '0' },
    program: 'cn',
    args: task => ['--auto', '-p', task],
  },
  copilot: {
    client: { registry: 'npm', name: '@github/copilot' },
    program: 'copilot',
    args: task => ['-p', task, '--allow-all-tools'],
  },
}

/** A program of test/agents/install-heavy.sh, which no CI installs: its tests are there where it is. */
const HEAVY_BIN = new URL('.heavy/bin', import.meta.url).pathname
const HEAVY: Readonly<Record<string, Agent>> = {
  aider: {
    existing: ['.aider.conf.yml', '# mine\nanalytics: false # never\ncheck-update: false\n'],
    env: { PYTHONDONTWRITEBYTECODE: '1', LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    program: 'aider',
    args: task => ['--yes-always', '--no-git', '--read', 'station.txt', '--message', task, 'hello.txt'],
    // It has no tools: the model answers with the whole file.
    plays: ({ asked }) => ({
      text: `hello.txt\n\`\`\`\nThe station is ${/K-[A-Z][a-z]+-\d/.exec(asked)?.[0]}.\n\`\`\`\n`,
    }),
  },
}
for (const [name, agent] of Object.entries(HEAVY))
  if (existsSync(join(HEAVY_BIN, agent.program))) Object.assign(AGENTS, { [name]: agent })

let svcctl: Program
beforeAll(() => {
  svcctl = compileProgram()
}, 5 * HANGS_MS)
afterAll(() => svcctl.end())

const BIN = new URL('node_modules/.bin', import.meta.url).pathname

interface Bench {
  readonly rig: Rig
  readonly oidc: OidcServer
  readonly home: string
  readonly work: string
  ctl(...args: readonly string[]): ReturnType<Program['run']>
  agent(): Promise<Ended>
  close(): Promise<void>
}

async function open({ existing, env = {}, program, args, plays }: Agent): Promise<Bench> {
  const { work, home, remove } = makeSite()
  const rig = await startRig('native', plays ?? playWorkshop(work), '', { now: true })
  const oidc = await letSignIn(rig.test, { ada: { plan: 'pro' } })
  await signInTo(oidc, 'ada', join(home, '.config'))
  if (existing) {
    mkdirSync(dirname(join(home, existing[0])), { recursive: true })
    writeFileSync(join(home, existing[0]), existing[1])
  }
  const all = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    PATH: `${BIN}:${HEAVY_BIN}:${process.env.PATH}`,
    ...env,
  }
  return {
    ...{ rig, oidc, home, work },
    ctl: (...words) => svcctl.run(words, { cwd: work, env: all }),
    agent: () =>
      runAgent(
        { dialect: 'chat', env: () => all, command: ({ task }) => [program, ...args(task)] },
        { work, home, baseURL: '', key: '', model: MODEL, task: TASK },
      ),
    close: async () => {
      await rig.close()
      await oidc.stop()
      await remove()
    },
  }
}

const helloOf = ({ work }: Bench) => readFileSync(join(work, 'hello.txt'), 'utf8')
const textOf = (bench: Bench, path: string) => readFileSync(join(bench.home, path), 'utf8')
/** Byte for byte as before, except where the agent itself writes its file in its own way. */
function expectOwn(bench: Bench, { existing, rewrites }: Agent): void {
  if (!existing) return
  const [path, own] = existing
  const text = textOf(bench, path)
  if (rewrites) {
    expect(JSON.parse(text)).toMatchObject(JSON.parse(own))
    expect(text).not.toMatch(/127\.0\.0\.1|svc_|agent-model/)
  } else expect(text).toBe(own)
}

const accountOf = async ({ rig }: Bench) => (await rig.test.ledger()).map(({ account }) => account)
const keysOf = async (bench: Bench) => {
  const [account = ''] = await accountOf(bench)
  return (await bench.rig.test.gateway.store.keys.listOf(account)).map(({ status }) => status)
}

// Agents start slowly beside other lanes, and each test starts one, svcctl and a provider.
describe.each(Object.entries(AGENTS))('%s', { timeout: 10 * HANGS_MS }, (name, agent) => {
  const there = it.skipIf(agent.client !== undefined && !isInstalled(agent.client))

  // Copilot reads variables alone, so there is no file to set up.
  if (name !== 'copilot')
    there('is set up by one command, does its task, and is as before after --undo', async () => {
      const bench = await open(agent)
      try {
        const setup = await bench.ctl('agents', 'setup', name, '--yes', '--model', MODEL)
        expect(setup, setup.stderr).toMatchObject({ code: 0 })
        const ended = await bench.agent()
        expect(helloOf(bench), ended.output + ended.complaints).toContain(STATION)
        if (agent.models) {
          expect(agent.models(bench)).toContainEqual({ name: MODEL, context: 200_000 })
          expect(ended.complaints).not.toMatch(/metadata/i)
        }
        expect(new Set(await accountOf(bench)).size).toBe(1)
        expect(await keysOf(bench)).toEqual(agent.renews ? [] : ['active'])

        const undone = await bench.ctl('agents', 'setup', name, '--undo', '--yes')
        expect(undone, undone.stderr).toMatchObject({ code: 0 })
        expectOwn(bench, agent)
        expect(await keysOf(bench)).toEqual(agent.renews ? [] : ['revoked'])
      } finally {
        await bench.close()
      }
    })

  there('does its task by svcctl run, which changes no file of it and leaves no key', async () => {
    const bench = await open(agent)
    const before = readdirSync(tmpdir()).filter(each => each.startsWith('svcctl-run-'))
    try {
      const ran = await bench.ctl('run', name, '--model', MODEL, '--', ...agent.args(TASK))
      expect(ran, ran.stdout + ran.stderr).toMatchObject({ code: 0 })
      expect(helloOf(bench)).toContain(STATION)
      expectOwn(bench, agent)
      expect(await keysOf(bench)).toEqual(agent.renews ? [] : ['revoked'])
      expect(readdirSync(tmpdir()).filter(each => each.startsWith('svcctl-run-'))).toEqual(before)
    } finally {
      await bench.close()
    }
  })

  if (agent.renews)
    there('goes on with its task when its token expires in the middle of it', async () => {
      const bench = await open(agent)
      const { rig } = bench
      const LIFE_S = 8
      let waited = false
      rig.backend.always(async exchange => {
        if (!waited && rig.model.served.length > 1) {
          waited = true
          // The token of this request ends before the next one.
          await sleep((LIFE_S + 1) * 1000)
        }
        return rig.model.answer(exchange)
      })
      try {
        const setup = await bench.ctl('agents', 'setup', name, '--yes', '--model', MODEL, '--expires-in', `${LIFE_S}s`)
        expect(setup, setup.stderr).toMatchObject({ code: 0 })
        const ended = await bench.agent()
        expect(ended, ended.output + ended.complaints).toMatchObject({ code: 0 })
        expect(helloOf(bench)).toContain(STATION)
        expect(rig.test.log.map(({ status }) => status)).toContain(401)
        expect(await rig.charged()).toEqual(chargeFor(rig.model))
      } finally {
        await bench.close()
      }
    })
})
