import { USERS } from './users.ts'

/** Where a code is typed in that was not part of the address. */
export const codePage = (form: string, problem: string | undefined): string =>
  page(
    'Sign in to the demo',
    `${problem ? `<p role="alert"><strong>${escaped(problem)}</strong></p>` : ''}
<p>Enter the code that <code>svcctl login</code> shows.</p>
${form.replace('placeholder="Enter code"', 'aria-label="Code"')}
<button type="submit" form="op.deviceInputForm">Continue</button>`,
  )

/** Whether the code is the one the user sees in the terminal. RFC 8628 3.3.1. */
export const confirmPage = (form: string, client: string, code: string): string =>
  page(
    'Is this your code?',
    `<p><strong>${escaped(client)}</strong> wants to sign in. It shows this code:</p>
<p class="code">${escaped(code)}</p>
${form}
<button type="submit" form="op.deviceConfirmForm" autofocus>Yes, continue</button>
<button type="submit" form="op.deviceConfirmForm" name="abort" value="yes">No, refuse</button>`,
  )

/** Where one says who one is. */
export const usersPage = (action: string): string =>
  page(
    'Who are you?',
    `<form method="post" action="${escaped(action)}">
${Object.entries(USERS)
  .map(([user, claims], i) => {
    const focus = i === 0 ? ' autofocus' : ''
    const plan = claims.plan ? `plan claim “${claims.plan}”` : 'no plan claim'
    return `<button type="submit" name="user" value="${escaped(user)}"${focus}>${escaped(user)} (${plan})</button>`
  })
  .join('\n')}
</form>`,
  )

/** Whether the session of this browser is to end. */
export const signOutPage = (form: string): string =>
  page(
    'Sign out?',
    `${form}
<button type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>Yes, sign out</button>
<button type="submit" form="op.logoutForm">No, stay signed in</button>`,
  )

export const signedOutPage = (): string => page('Signed out', '<p>The next sign-in asks who you are.</p>')

export const donePage = (): string => page('Signed in', '<p>Done. You can go back to the terminal.</p>')

export const problemPage = (problem: string): string =>
  page('That did not work', `<p role="alert">${escaped(problem)}</p>`)

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title} · svc-gateway demo</title>
<style>
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem }
button, input { font: inherit; display: block; width: 100%; padding: .6rem; margin: .6rem 0; box-sizing: border-box }
.code { font: 2rem monospace }
footer { margin-top: 2rem; font-size: .875rem }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
<footer>This is a demo: a real OpenID provider on this machine, with two made-up users and no passwords.</footer>
</body>
</html>
`

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string): string => text.replace(/[&<>"]/g, character => ENTITIES[character] ?? character)
