import { findAdminEndpoint } from '../../operator/connect.ts'
import { fleetOf } from '../../operator/gateway-calls.ts'
import { exitCodes } from '../../server/failure.ts'
import { version } from '../../server/version.ts'
import type { ShownGateway } from '../../wire/admin/fleet.ts'
import { writeJson, writeOut } from '../kit/terminal.ts'
import type { VersionOptions } from './version.ts'

/** Prints what runs this command, and with `check` whether the gateways of the fleet are of the same version. */
export async function printVersion({ config, json, check }: VersionOptions): Promise<void> {
  const own = { version, node: process.version, platform: `${process.platform}-${process.arch}` }
  const gateways = check ? comparedTo(version, (await fleetOf(await findAdminEndpoint(config))).data) : undefined
  if (json) await writeJson({ ...own, ...(gateways && { gateways }) })
  else
    await writeOut([`svcctl ${version}, node ${own.node.slice(1)}, ${own.platform}\n`, ...(gateways ?? []).map(line)])
  if (gateways?.some(({ same }) => !same)) process.exitCode = exitCodes.bad
}

interface Compared {
  readonly gateway: string
  readonly version: string
  readonly same: boolean
}

/** Each gateway with its version, and whether that is the wanted one. */
export const comparedTo = (wanted: string, gateways: readonly ShownGateway[]): readonly Compared[] =>
  gateways.map(({ gateway, version: runs }) => ({ gateway, version: runs, same: runs === wanted }))

const line = ({ gateway, version: runs, same }: Compared): string => `${same ? '✓' : '✗'} ${gateway} runs ${runs}\n`
