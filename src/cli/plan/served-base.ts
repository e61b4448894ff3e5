import { join } from 'node:path'
import type { Load } from '../../config/load.ts'
import { textDisk } from '../../config/read/disk.ts'
import type { FileText } from '../../config/settings.ts'
import type { AdminEndpoint } from '../../operator/operator-api.ts'
import { servedConfig } from '../../operator/revisions.ts'
import { loadWithStandIns } from '../../operator/stand-ins.ts'
import type { ServedConfig } from '../../wire/admin/revision.ts'
import { oneLine } from '../../wire/printable.ts'
import type { Base } from './plan-base.ts'

/** What a running gateway serves. */
export interface ServedBase extends Base {
  readonly endpoint: AdminEndpoint
  readonly revision: string
  readonly number: number
}

/** What a gateway serves, read as if it lay in this directory. Rejects with CommandFailed. */
export async function servedBase(endpoint: AdminEndpoint, directory: string): Promise<ServedBase> {
  const served = await servedConfig(endpoint)
  const { revision, number, files, decisions } = served
  return {
    ...{ endpoint, revision, number, directory },
    name: `revision ${revision}`,
    load: loadTexts(files, directory),
    served: { endpoint, title: titleOf(endpoint, served), log: decisions.log ? decisions.directory : undefined },
    close: () => {},
  }
}

const titleOf = ({ admin }: AdminEndpoint, { revision, number, how, by, at }: ServedConfig): string =>
  `${admin} serves revision ${revision} (number ${number}, ${how === by ? how : `${how} by ${oneLine(by)}`}, since ${at})`

/** Loads texts as if they lay in this directory, so that their files of secrets are the same. */
export function loadTexts(files: readonly FileText[], directory: string): Load {
  const main = join(directory, files[0]?.file ?? '')
  return loadWithStandIns(main, process.env, process.cwd(), textDisk(files, directory))
}
