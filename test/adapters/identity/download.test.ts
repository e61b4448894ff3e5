import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { download } from '../../../src/adapters/identity/provider.ts'
import { Door, says } from '../../support/door.ts'

it('a refusal of the provider never ends the process, however much of it has come when it is let go of', async () => {
  const door = new Door(says(503, 'text/plain', 'no'))
  await door.open()
  onTestFinished(() => door.close())
  const crashed = vi.fn()
  process.prependListener('uncaughtException', crashed)
  onTestFinished(() => void process.removeListener('uncaughtException', crashed))

  for (let time = 0; time < 30; time++) {
    await expect(download(new URL(door.origin), new AbortController().signal)).rejects.toThrow('answered 503')
    await sleep(5)
  }

  expect(crashed).not.toHaveBeenCalled()
})
