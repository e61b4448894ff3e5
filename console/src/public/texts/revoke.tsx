export const title = (name: string) => `Revoke ${name}?`
export const action = 'Revoke'
export const what =
  'Whatever uses it is refused from the very next request. This cannot be taken back; you can create another key.'
