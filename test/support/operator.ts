import { expect } from 'vitest'
import { ADMIN_TOKEN, type TestGateway } from './gateway.ts'

const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }

/** Sends what an operator asks of the admin API. */
export async function post(
  { admin }: TestGateway,
  path: string,
  body: object,
): Promise<[status: number, body: Record<string, unknown>]> {
  const response = await fetch(`${admin}/admin/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return [response.status, (await response.json()) as Record<string, unknown>]
}

/** Calls an operation that must succeed. */
export async function did(test: TestGateway, path: string, body: object): Promise<Record<string, unknown>> {
  const [status, answered] = await post(test, path, body)
  expect(status, JSON.stringify(answered)).toBe(200)
  return answered
}
