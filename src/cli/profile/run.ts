import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { adminUrl } from '../../operator/connect.ts'
import { type Profile, profileNamed, readProfiles, writeProfiles } from '../../operator/profiles.ts'
import { readSessions } from '../../operator/session.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { type FormatOptions, forPrograms } from '../kit/formats.ts'
import { type Column, table, tableText } from '../kit/table.ts'
import { writeJson, writeOut } from '../kit/terminal.ts'
import { targetOf } from '../login/target.ts'
import type { AddOptions } from './profile.ts'

interface Output {
  readonly json?: boolean
}

/** One profile as it is shown: without any token. */
interface Shown extends Partial<NonNullable<Profile['signIn']>>, Partial<NonNullable<Profile['operator']>> {
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
  if (rows.length === 0)
    console.error(
      'No profiles yet. Add one: svcctl profile add NAME --admin URL --token-file FILE, or --audience URL --issuer URL',
    )
  else await writeOut([`${profilesText(rows)}\n`])
}

/** Columns of what no profile says are left out. */
function profilesText(rows: readonly Shown[]): string {
  const columns = COLUMNS.filter(({ needs }) => needs === undefined || rows.some(row => row[needs] !== undefined))
  return tableText(
    columns,
    rows.map(row => columns.map(({ of }) => of(row))),
  )
}

const COLUMNS: readonly (Column & { readonly needs?: keyof Shown; readonly of: (row: Shown) => string })[] = [
  { title: '', of: ({ current }) => (current ? '*' : '') },
  { title: 'NAME', least: 8, of: ({ name }) => name },
  { title: 'ADMIN', least: 16, needs: 'admin', of: ({ admin = '' }) => admin },
  { title: 'TOKEN', least: 16, gives: 2, needs: 'tokenFile', of: ({ tokenFile = '' }) => tokenFile },
  { title: 'GATEWAY', least: 16, needs: 'gateway', of: ({ gateway = '' }) => gateway },
  { title: 'ISSUER', least: 12, gives: 1, needs: 'gateway', of: ({ issuer = '' }) => issuer },
  { title: 'SIGNED IN', least: 9, needs: 'gateway', of: ({ signedIn = '' }) => signedIn },
]

/** Adds or changes a profile. Values that are not given stay as they are. */
export async function add(name: string, { admin, tokenFile, ...named }: AddOptions): Promise<void> {
  if (!/^[\w.-]{1,64}$/.test(name))
    throw new CommandFailed('✗ a name has only letters, digits, . _ and -', exitCodes.usage)
  if (admin === undefined && tokenFile !== undefined)
    throw new CommandFailed('✗ --token-file goes with --admin', exitCodes.usage)
  const { current, profiles } = readProfiles()
  const before = profiles.get(name)
  const operator = admin === undefined ? before?.operator : operatorTarget(admin, tokenFile)
  const signIn = admin !== undefined && Object.keys(named).length === 0 ? before?.signIn : await signInTarget(named)
  writeProfiles({
    ...(current && { current }),
    profiles: new Map([...profiles, [name, { ...(signIn && { signIn }), ...(operator && { operator }) }]]),
  })
  console.error(`✓ ${name} is ${operator?.admin ?? signIn?.gateway}. To use it: svcctl profile use ${name}`)
}

async function signInTarget(named: AddOptions): Promise<NonNullable<Profile['signIn']>> {
  const { gateway, issuer, clientId } = await targetOf(named)
  return { gateway, issuer, clientId }
}

function operatorTarget(admin: string, file: string | undefined): NonNullable<Profile['operator']> {
  const tokenFile = file === undefined ? undefined : resolve(file)
  if (tokenFile !== undefined && !existsSync(tokenFile)) throw new CommandFailed(`✗ there is no file ${tokenFile}`)
  return { admin: adminUrl(admin, '--admin'), ...(tokenFile !== undefined && { tokenFile }) }
}

export function use(name: string): void {
  const { operator, signIn } = profileNamed(name)
  writeProfiles({ ...readProfiles(), current: name })
  console.error(`✓ Commands that name no gateway go to ${signIn?.gateway ?? operator?.admin} now.`)
}

export async function show(name: string | undefined, { json }: Output): Promise<void> {
  const chosen = name ?? readProfiles().current
  if (chosen === undefined) throw new CommandFailed('✗ no profile is in use. Choose one: svcctl profile use NAME')
  const profile = shown(chosen)
  const { admin, tokenFile, gateway, issuer, clientId, signedIn } = profile
  const rows = {
    name: chosen,
    ...(admin !== undefined && { admin, token: tokenFile ?? 'none' }),
    ...(gateway !== undefined &&
      issuer !== undefined &&
      clientId !== undefined && { gateway, issuer, client: clientId }),
    ...(gateway !== undefined && { 'signed in': signedIn ?? 'no' }),
  }
  await (json ? writeJson(profile) : writeOut([`${table(Object.entries(rows))}\n`]))
}

function shown(name: string): Shown {
  const { current } = readProfiles()
  const { signIn, operator } = profileNamed(name)
  const signedIn = signIn && readSessions().get(signIn.gateway)?.label
  return { name, current: name === current, ...signIn, ...operator, ...(signedIn !== undefined && { signedIn }) }
}
