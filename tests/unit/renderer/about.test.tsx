import { screen } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openWindow } from './open-window.tsx';

const all = [
  { name: 'abstract-logging 2.0.1', license: 'MIT', text: '' },
  { name: 'inter 5.3.0', license: 'OFL-1.1', text: 'Copyright The Inter Project\n<b>Terms</b>' },
];
const serve = (response: Response) =>
  vi.stubGlobal('fetch', vi.fn<typeof fetch>().mockResolvedValue(response));

describe('About Porchlight', () => {
  afterEach(() => vi.unstubAllGlobals());

  test('shows the version, and the license of each piece of software as text', async () => {
    serve(Response.json(all));
    const { user } = openWindow({ hash: '#/settings/about' });
    expect(await screen.findByText('0.1.0')).toBeTruthy();
    await user.click(await screen.findByText('inter 5.3.0'));
    expect((await screen.findByLabelText('inter 5.3.0')).textContent).toBe(all[1]?.text);
    // This package has no text, so there is nothing to open.
    expect(screen.getByText('abstract-logging 2.0.1').closest('details')).toBeNull();
  });

  test('says why there are no licenses in a window that was not built', async () => {
    serve(new Response(null, { status: 404 }));
    openWindow({ hash: '#/settings/about' });
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Only a built Porchlight contains them.',
    );
  });
});
