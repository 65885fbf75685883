import { useEffect, useMemo, useState, type ReactElement } from 'react';
import { httpClient } from './client/http.ts';
import { forgetOwnerKey, redeemLinkCode, takeLinkCode, takeOwnerKey } from './client/owner-key.ts';
import { LockedOut, type LockedReason } from './locked-out.tsx';
import { Porchlight } from './porchlight.tsx';

interface BrowserDoorProps {
  /** The key in the address, or the one that this tab kept. */
  readonly firstKey: string | null;
  /** The single-use code in the address; it takes precedence over a key. */
  readonly firstCode?: string | null;
}

/** The page in a browser: opens with the owner key or a single-use code, and again when another address is opened. */
export function BrowserDoor({ firstKey, firstCode = null }: BrowserDoorProps): ReactElement | null {
  const [key, setKey] = useState(firstKey);
  const [code, setCode] = useState(firstCode);
  const [locked, setLocked] = useState<LockedReason | null>(firstKey === null ? 'noKey' : null);
  const client = useMemo(() => (key === null ? null : httpClient({ ownerKey: key })), [key]);

  // The same page with another fragment does not reload: a new code or key arrives as a hash change.
  useEffect(() => {
    const take = () => {
      setCode(takeLinkCode());
      const next = takeOwnerKey();
      if (next === null) return;
      setKey(next);
      setLocked(null);
    };
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, []);

  useEffect(() => {
    if (code === null) return;
    void redeemOnce(code).then((next) => {
      setCode(null);
      if (next === null) {
        // A tab that is already open stays open.
        setLocked((reason) => reason && 'usedLink');
        return;
      }
      setKey(next);
      setLocked(null);
    });
  }, [code]);

  useEffect(
    () =>
      client?.watchConnection((connection) => {
        if (connection !== 'refused') return;
        forgetOwnerKey();
        setLocked('oldKey');
      }),
    [client],
  );

  if (locked !== null && code !== null) return null; // for the moment that the exchange takes
  if (locked !== null || !client) return <LockedOut reason={locked ?? 'noKey'} />;
  return <Porchlight key={key} client={client} />;
}

let redeeming: { code: string; key: Promise<string | null> } | undefined;

/** React's strict mode runs effects twice; a second exchange of the same code would fail. */
function redeemOnce(code: string): Promise<string | null> {
  if (redeeming?.code !== code) redeeming = { code, key: redeemLinkCode(code) };
  return redeeming.key;
}
