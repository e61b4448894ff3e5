import { expect, it } from 'vitest'
import { comparedTo } from '../../../src/cli/version/run.ts'
import { shownFleet } from '../../../src/wire/admin/fleet.ts'

it('a gateway of another version than svcctl is not the same, whichever is newer', () => {
  const versions = ['0.2.0', '0.2.1', '0.1.9', '0.2.0-rc.1']
  const members = versions.map((version, index) => ({
    ...{ id: `${index}`, name: `gw-${index}:1`, version, revision: '8f5337f55caa' },
    ...{ admin: 'http://10.0.0.1:9090', since: 0, inFlight: 0 },
  }))

  const { data } = shownFleet('redis', members, '0')
  expect(comparedTo('0.2.0', data).map(({ same }) => same)).toEqual([true, false, false, false])
})
