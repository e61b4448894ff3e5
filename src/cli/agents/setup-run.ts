import { withoutKeys } from '../../gateway/accounts/keys.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { printable } from '../../wire/printable.ts'
import { confirm, mayAsk, writeOut } from '../kit/terminal.ts'
import type { Named } from '../login/login.ts'
import { gatewayOf } from '../login/target.ts'
import type { Agent, AgentFile, Credential, Site } from './agent.ts'
import { credentialText, mintAgentKey, revokeAgentKey, tokenCommand } from './credential.ts'
import { diffLines } from './diff-lines.ts'
import { editText, heldSettings } from './edit-text.ts'
import { currentText, homeDir, type OnDisk, readForChange, removeFolders, writeChanged } from './files.ts'
import { chatModels, chosenModel } from './gateway-models.ts'
import { AGENTS } from './known-agents.ts'
import {
  type ChangedFile,
  readRecord,
  recordFile,
  removeRecord,
  type SetupRecord,
  writeRecord,
} from './setup-record.ts'
import { verify } from './verify.ts'

export interface SetupOptions extends Named {
  readonly model?: string
  readonly expiresIn?: string
  readonly keyLife: string
  readonly dryRun?: boolean
  readonly undo?: boolean
  readonly yes?: boolean
}

/** The agent of a name. Rejects with the names that there are. */
export function agentNamed(name: string): Agent {
  const agent = AGENTS.find(each => each.name === name)
  if (agent) return agent
  const names = AGENTS.map(each => each.name).join(', ')
  throw new CommandFailed(`✗ no agent "${printable(name)}": there are ${names}`, exitCodes.usage)
}

/** A file, and its text with the gateway's settings. */
interface Change {
  readonly disk: OnDisk
  readonly file: AgentFile
  readonly text: string
  readonly was: ChangedFile['was']
}

/** Writes the gateway into the files of an agent: shows the change, asks, keeps a backup, tries it with one request, and goes back where that fails. */
export async function setUp(name: string, options: SetupOptions): Promise<void> {
  const agent = agentNamed(name)
  if (options.undo) return undo(agent, options)
  if (!agent.files)
    throw new CommandFailed(`✗ ${agent.title} reads its provider from variables alone: svcctl run ${agent.name}`)
  if (!options.dryRun) mayAsk(options.yes)
  if (readRecord(name)) throw new CommandFailed(`✗ ${name} is set up: svcctl agents setup ${name} --undo first`)
  const gateway = await gatewayOf(options)
  const place = await placeOf(agent, gateway, options.model)
  const planned = credentialOf(agent, gateway, options.expiresIn, PLACEHOLDER)
  const changes = changesOf(agent, siteOf(place, planned))
  await writeOut(changes.flatMap(shown))
  for (const variable of agent.overrides)
    if (process.env[variable])
      console.error(`▲ ${variable} is set in this shell and takes precedence over this setup: unset it`)
  if (options.dryRun) return
  await confirm(`Change ${changes.map(({ disk }) => disk.path).join(' and ')}?`, options.yes)
  const key = agent.credential === 'key' ? await mintAgentKey(gateway, agent, options.keyLife) : undefined
  const credential = credentialOf(agent, gateway, options.expiresIn, key?.value ?? '')
  await write(agent, { place, credential, ...(key && { key: key.id }) })
  console.error(
    `✓ ${agent.title} uses ${place.model} at ${gateway}.\n  Backup: ${recordFile(name)}\n  Undo:   svcctl agents setup ${name} --undo`,
  )
}

/** Stands in the shown change for a key that is not minted yet. */
const PLACEHOLDER = '(a new key)'

function credentialOf(agent: Agent, gateway: string, life: string | undefined, key: string): Credential {
  return agent.credential === 'key' ? { kind: 'key', key } : { kind: 'command', command: tokenCommand(gateway, life) }
}

/** The gateway and its models, whatever the credential. */
export type Place = Omit<AnySite, 'credential'>

/** Asks the gateway for its models, and makes the agent's own catalogue of them. */
export async function placeOf(agent: Agent, gateway: string, wished: string | undefined): Promise<Place> {
  const models = await chatModels(gateway, wished)
  const model = chosenModel(gateway, models, wished)
  return {
    ...{ gateway, baseURL: `${gateway}/v1`, model, home: homeDir() },
    listed: models.find(({ name }) => name === model),
    catalogue: await agent.catalogue?.(models, model),
  }
}

/** The site as an agent with this kind of credential sees it. */
export const siteOf = (place: Place, credential: Credential): AnySite => ({
  ...place,
  credential: credential as never,
})

type AnySite = Site<'command'> & Site<'key'>

function changesOf(agent: Agent, site: AnySite): readonly Change[] {
  const files = agent.files?.(site) ?? []
  return files.map(file => {
    const disk = readForChange(file.path)
    const edited = editText(disk.text ?? '', file)
    if ('problem' in edited)
      throw new CommandFailed(`✗ ${disk.path} ${edited.problem}. Nothing was changed.\n${byHand(file)}`)
    return { disk, file, ...edited }
  })
}

const byHand = ({ settings }: AgentFile): string =>
  [
    '  Change it by hand:',
    ...settings.map(({ at, value }) => `  ${at.map(stepText).join('.')}: ${JSON.stringify(value)}`),
  ]
    .map(withoutKeys)
    .join('\n')

const stepText = (step: string | { readonly named: string }): string =>
  typeof step === 'string' ? step : `[${step.named}]`

const shown = ({ disk, file, text }: Change): readonly string[] => [
  `${printable(disk.path)}${disk.text === undefined ? ' (new)' : ''}\n`,
  ...linesOf(disk.text ?? '', text, file),
  '\n',
]

/** A file of svcctl's own may hold the long instructions of an agent, and is named alone. */
const linesOf = (before: string, after: string, { own }: Pick<AgentFile, 'own'>): readonly string[] =>
  own
    ? [`  ${Buffer.byteLength(after || before).toLocaleString('en')} bytes, for this agent alone\n`]
    : diffLines(before, after).map(line => `${withoutKeys(printable(line))}\n`)

interface Written extends Pick<SetupRecord, 'key'> {
  readonly place: Place
  readonly credential: Credential
}

/** Writes the backup first, then the files, then asks the gateway once. Whatever fails is undone. */
async function write(agent: Agent, { place, credential, key }: Written): Promise<void> {
  const { gateway, model } = place
  const record = (files: readonly ChangedFile[]): SetupRecord => ({
    ...{ version: 1, agent: agent.name, gateway, files },
    ...(key !== undefined && { key }),
  })
  try {
    const changes = changesOf(agent, siteOf(place, credential))
    writeRecord(record(changes.map(change => changedFile(change, []))))
    const made = changes.map(({ disk, text }) => writeChanged(disk, text))
    writeRecord(record(changes.map((change, index) => changedFile(change, made[index] ?? []))))
    await verify({ gateway, model, dialect: agent.dialect, credential: await credentialText(credential) })
  } catch (error) {
    const kept = restore(readRecord(agent.name)?.files ?? [])
    removeRecord(agent.name)
    if (key !== undefined) await revokeAgentKey(gateway, key).catch(() => false)
    if (kept.length === 0 && error instanceof CommandFailed)
      throw new CommandFailed(`${error.message}\n  The files are as they were.`, error.exitCode)
    throw error
  }
}

const changedFile = ({ disk, file, text, was }: Change, made: readonly string[]): ChangedFile => ({
  path: disk.path,
  format: file.format,
  ...(disk.text !== undefined && { before: disk.text }),
  after: text,
  mode: disk.mode,
  made,
  // A file of svcctl's own goes as a whole, or stays.
  ...(file.own ? { own: true, settings: [], was: [] } : { settings: file.settings, was }),
})

/** Puts files back, byte for byte where nobody changed them since, else setting by setting. Returns what it left alone. */
function restore(files: readonly ChangedFile[]): readonly string[] {
  return files.flatMap(file => {
    const { path, before, after, mode, made, format, settings, was } = file
    const text = currentText(path)
    const disk = { path, text, mode }
    if (text === before || text === undefined) return []
    if (text === after) {
      writeChanged(disk, before)
      removeFolders(made)
      return []
    }
    const held = new Set(heldSettings(text, { format, settings }).map(({ at }) => JSON.stringify(at)))
    const edited = editText(text, { format, settings: was.filter(({ at }) => held.has(JSON.stringify(at))) })
    if ('problem' in edited) return [`${path} ${edited.problem}`]
    writeChanged(disk, edited.text)
    return settings
      .filter(({ at }) => !held.has(JSON.stringify(at)))
      .map(({ at }) => `${path}: ${at.map(stepText).join('.')} was changed since and stays`)
  })
}

async function undo(agent: Agent, { yes, dryRun }: SetupOptions): Promise<void> {
  const record = readRecord(agent.name)
  if (!record) throw new CommandFailed(`✗ svcctl did not set up ${agent.name} for this user`)
  if (dryRun)
    return writeOut(
      record.files.flatMap(file => [
        `${printable(file.path)}\n`,
        ...linesOf(currentText(file.path) ?? '', file.before ?? '', file),
      ]),
    )
  mayAsk(yes)
  await confirm(`Put ${record.files.map(({ path }) => path).join(' and ')} back?`, yes)
  for (const left of restore(record.files)) console.error(`▲ ${printable(left)}`)
  removeRecord(agent.name)
  console.error(`✓ ${agent.title} is as it was before svcctl set it up.`)
  if (record.key === undefined) return
  const revoked = await revokeAgentKey(record.gateway, record.key).catch(() => false)
  if (!revoked)
    console.error(`▲ the key ${record.key} could not be revoked: revoke it in the console, or let it expire`)
}
