import { readSessions } from '../../operator/session.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { type FormatOptions, forPrograms } from '../formats.ts'
import type { NamedIssuer } from '../login/login.ts'
import { type Profile, readProfiles, targetOf, writeProfiles } from '../login/login-target.ts'
import { type Column, table, tableText } from '../table.ts'
import { writeJson, writeOut } from '../terminal.ts'

interface Output {
  readonly json?: boolean
}

/** One profile as it is shown: without any token. */
interface Shown extends Profile {
  readonly name: string
  readonly current: boolean
  /** The label of the user who is signed in there. */
  readonly signedIn?: string
}

export async function list(options: FormatOptions): Promise<void> {
  const { profiles } = readProfiles()
  const rows = [...profiles.keys()].map(shown)
  const written = forPrograms(options, { object: 'list', data: rows })
  if (written !== undefined) return writeOut([written])
  if (rows.length === 0) console.error('No profiles yet. Add one: svcctl profile add NAME --audience URL --issuer URL')
  else {
    const cells = rows.map(row => [row.current ? '*' : '', row.name, row.gateway, row.issuer, row.signedIn ?? ''])
    await writeOut([`${tableText(COLUMNS, cells)}\n`])
  }
}

const COLUMNS: readonly Column[] = [
  { title: '' },
  { title: 'NAME', least: 8 },
  { title: 'GATEWAY', least: 16 },
  { title: 'ISSUER', least: 12, gives: 1 },
  { title: 'SIGNED IN', least: 9 },
]

export async function add(name: string, named: NamedIssuer): Promise<void> {
  if (!/^[\w.-]{1,64}$/.test(name)) throw new CommandFailed('✗ a name is letters, digits, . _ and -', exitCodes.usage)
  const { gateway, issuer, clientId } = await targetOf(named)
  const { current, profiles } = readProfiles()
  writeProfiles({
    ...(current && { current }),
    profiles: new Map([...profiles, [name, { gateway, issuer, clientId }]]),
  })
  console.error(`✓ ${name} is ${gateway}. To use it: svcctl profile use ${name}`)
}

export function use(name: string): void {
  const { gateway } = shown(name)
  writeProfiles({ ...readProfiles(), current: name })
  console.error(`✓ Commands that name no gateway go to ${gateway} now.`)
}

export async function show(name: string | undefined, { json }: Output): Promise<void> {
  const chosen = name ?? readProfiles().current
  if (chosen === undefined) throw new CommandFailed('✗ no profile is in use. Choose one: svcctl profile use NAME')
  const profile = shown(chosen)
  const { gateway, issuer, clientId, signedIn } = profile
  const rows = { name: chosen, gateway, issuer, client: clientId, 'signed in': signedIn ?? 'no' }
  await (json ? writeJson(profile) : writeOut([`${table(Object.entries(rows))}\n`]))
}

function shown(name: string): Shown {
  const { current, profiles } = readProfiles()
  const profile = profiles.get(name)
  if (!profile) throw new CommandFailed(`✗ there is no profile ${name}: svcctl profile list`)
  const signedIn = readSessions().get(profile.gateway)?.label
  return { name, current: name === current, ...profile, ...(signedIn !== undefined && { signedIn }) }
}
