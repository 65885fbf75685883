/** A person's browser, as far as signing in needs one: cookies, forms, and no redirect followed unasked. */
export interface Browser {
  /** Requests a path or an address of the server, with this browser's cookies. */
  open(address: string, init?: RequestInit): Promise<Response>;
  /** Presses the one button of a request page. */
  press(page: string): Promise<Response>;
  readonly cookies: Map<string, string>;
}

/** `always`: headers that go with each of its requests. */
export function openBrowser(base: string, always: Record<string, string> = {}): Browser {
  const cookies = new Map<string, string>();

  async function open(address: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      accept: 'text/html',
      ...always,
      ...(cookie !== '' && { cookie }),
      ...(init.headers as Record<string, string> | undefined),
    };
    const response = await fetch(new URL(address, base), { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=');
      cookies.set(name, value);
    }
    return response;
  }

  return {
    open,
    press: (page) => open(actionOf(page), { method: 'POST', body: new URLSearchParams(hiddenFields(page)) }),
    cookies,
  };
}

/** The names and values of a page's hidden fields. */
export function hiddenFields(page: string): Record<string, string> {
  const fields = page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, unescape(value)]));
}

function actionOf(page: string): string {
  const action = /<form method="post" action="([^"]*)"/.exec(page)?.[1];
  if (action === undefined) throw new Error(`There is no form on this page:\n${page}`);
  return unescape(action);
}

/** The match code on a waiting page. */
export function matchCodeOf(page: string): string {
  const code = /<output[^>]*>(\d+)<\/output>/.exec(page)?.[1];
  if (code === undefined) throw new Error(`There is no match code on this page:\n${page}`);
  return code;
}

/** Undoes HTML's escaping of attribute values. */
export function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
