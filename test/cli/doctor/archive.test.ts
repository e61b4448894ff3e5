import { expect, it, onTestFinished } from 'vitest'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { keptFilesOf } from '../site.ts'
import { doctorIn, type Found, filesOf } from './site.ts'

async function archiveIn(ledger: string): Promise<Found> {
  const files = filesOf(['http://127.0.0.1:1/v1'])
  const cwd = keptFilesOf({ ...files, 'config.yaml': `${files['config.yaml']}\nledger: ${ledger}\n` })
  onTestFinished(() => removeFolder(cwd))
  const { stdout } = await doctorIn(cwd, ['--json', '--no-generate'])
  const list: readonly Found[] = JSON.parse(stdout)
  const found = list.find(({ check }) => check === 'archive')
  if (!found) throw new Error('nothing is said of the archive')
  return { ...found, text: found.text.replaceAll(cwd, '') }
}

it('says what a gateway would do with a new archive', async () => {
  expect(await archiveIn('{ archive: { to: file:./rows } }')).toMatchObject({
    state: 'ok',
    text: 'file:/rows: a file a day, rows go there after 2d; the gateway makes the directory',
  })
})

it('an archive that does not answer is a warning, since requests are served all the same', async () => {
  expect(await archiveIn('{ archive: { to: postgres://svc@127.0.0.1:1/svc } }')).toMatchObject({
    state: 'warning',
    text: 'takes no rows: postgres://127.0.0.1:1/svc: connect ECONNREFUSED 127.0.0.1:1',
    hint: expect.stringMatching(
      /^Rows stay in the store until it does, for at most 90d. It is named in config.yaml:\d+.$/,
    ),
  })
})
