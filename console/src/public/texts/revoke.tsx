export const title = (name: string) => `Revoke ${name}?`
export const action = 'Revoke'
export const what =
  'Requests with this key are refused from now on. This cannot be undone, but you can create another key.'
