/** Calls `/admin/<path>` of the gateway whose admin port this is, by POST with a body. Returns the JSON of a 200; throws for others. */
export async function askAdmin({ admin, token }, path, body) {
  const response = await fetch(`http://127.0.0.1:${admin}/admin/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}
