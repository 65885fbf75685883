import { useEffect, useMemo, useState, type ReactElement } from 'react';
import { httpClient } from './client/http.ts';
import { forgetOwnerKey, takeOwnerKey } from './client/owner-key.ts';
import { LockedOut } from './locked-out.tsx';
import { Porchlight } from './porchlight.tsx';

/** The page in a browser: in with the owner key of the address, and with a new one when a new address is opened. */
export function BrowserDoor({ firstKey }: { firstKey: string | null }): ReactElement {
  const [key, setKey] = useState(firstKey);
  const [refused, setRefused] = useState(false);
  const client = useMemo(() => (key === null ? null : httpClient({ ownerKey: key })), [key]);

  // The same page with another fragment is no reload: the new key arrives as a hash change.
  useEffect(() => {
    const take = () => {
      const next = takeOwnerKey();
      if (next === null) return;
      setKey(next);
      setRefused(false);
    };
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, []);

  useEffect(
    () =>
      client?.watchConnection((connection) => {
        if (connection !== 'refused') return;
        forgetOwnerKey();
        setRefused(true);
      }),
    [client],
  );

  if (!client) return <LockedOut reason="noKey" />;
  if (refused) return <LockedOut reason="oldKey" />;
  return <Porchlight key={key} client={client} />;
}
