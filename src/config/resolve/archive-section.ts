import { resolve } from 'node:path'
import { DEFAULTS } from '../defaults.ts'
import type { ArchiveSection, ConfigFile } from '../file.ts'
import { type ArchiveAddress, archive } from '../model/archive-address.ts'
import type { Refusal } from '../model/scalar.ts'
import { type MapNode, type Node, nodeAt } from '../model/tree.ts'
import { durationText, unitOf } from '../model/units.ts'
import type { Report } from '../problem.ts'
import { LINE, PEM, readSecrets, refuse, type SecretPlace, TOKEN } from '../read/secrets.ts'
import type { ArchiveSettings, Secret } from '../settings.ts'

/** How rows are archived; its address was read before. */
export function archiveOf(
  { to, keep }: ArchiveSection,
  secrets: ReadonlyMap<string, Secret>,
  directory: string,
): ArchiveSettings {
  const address = archive.read(to)
  if (!address) throw new Error(`${to} was not checked`)
  const stays = unitOf('duration', keep ?? DEFAULTS.archiveKeep)
  const of = (field: Field) => {
    const secret = secrets.get(field)
    return secret ? { [field]: secret } : {}
  }
  if (address.kind === 'files') return { kind: 'files', keep: stays, path: resolve(directory, address.path) }
  if (address.kind === 'https') return { ...address, keep: stays, ...of('token') }
  return { ...address, keep: stays, ...of('password'), ...of('ca'), ...of('certificate'), ...of('key') }
}

/** Fetches what `ledger.archive` refers to, by field, and reports what does not go together. */
export function readArchive(
  root: MapNode,
  main: ConfigFile | undefined,
  place: SecretPlace,
  report: Report,
): ReadonlyMap<string, Secret> {
  const section = nodeAt(root, ['ledger', 'archive'])
  if (section && main) checkFit(section, main, report)
  return readSecrets(section, HOLDS, place, report)
}

function checkFit(section: Node, main: ConfigFile, report: Report): void {
  const { archive: written } = main.ledger ?? {}
  const address = written && archive.read(written.to)
  // An archive with a mistake is reported itself.
  if (!address) return
  const refuseAt = (field: string, fault: Refusal) => refuse(nodeAt(section, [field]) ?? section, fault, report)
  const has = (field: Field) => nodeAt(section, [field]) !== undefined
  for (const field of FIELDS.filter(has)) {
    const fault = faultOf(field, address)
    if (fault) refuseAt(field, fault)
  }
  if (has('certificate') !== has('key')) refuseAt(has('key') ? 'key' : 'certificate', HALF_A_PAIR)
  const kept = unitOf('duration', main.ledger?.keep ?? DEFAULTS.keep)
  if (unitOf('duration', written.keep ?? DEFAULTS.archiveKeep) >= kept) refuseAt('keep', longerThan(kept))
  if (address.kind === 'files' && hasSeveral(main)) refuseAt('to', SEVERAL)
}

const hasSeveral = ({ server }: ConfigFile): boolean => unitOf('count', server?.instances ?? DEFAULTS.instances) > 1

function faultOf(field: Field, address: ArchiveAddress): Refusal | undefined {
  if (field === 'token') return address.kind === 'https' ? undefined : strange(field, 'https://')
  if (address.kind !== 'postgres') return strange(field, 'postgres://')
  return field === 'password' || address.isTls ? undefined : WITHOUT_TLS
}

const HOLDS = { password: LINE, ca: PEM, certificate: PEM, key: PEM, token: TOKEN }
type Field = keyof typeof HOLDS
const FIELDS = Object.keys(HOLDS) as Field[]

const strange = (field: Field, scheme: string): Refusal => ({
  rule: 'bad-archive',
  says: `\`${field}\` belongs to an archive at ${scheme}, which \`to\` is not`,
  hint: 'remove it',
})

const WITHOUT_TLS: Refusal = {
  rule: 'bad-archive',
  says: 'certificates need TLS, which `to` does not use',
  hint: 'write ?sslmode=verify-full in `to`, or remove this',
}

const HALF_A_PAIR: Refusal = {
  rule: 'certificate-without-key',
  says: '`certificate` and `key` belong together, and one of them is missing',
  hint: 'write both, or neither if the server requires no certificate',
}

const longerThan = (kept: number): Refusal => ({
  rule: 'bad-archive',
  says: `rows would be deleted before they reach the archive: \`ledger.keep\` is ${durationText(kept)}`,
  hint: 'write a shorter `keep` here, or a longer `ledger.keep`',
})

const SEVERAL: Refusal = {
  rule: 'bad-archive',
  says: 'a directory belongs to one gateway, but `server.instances` has several',
  hint: 'write postgres:// or https:// in `to`',
}
