import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useAnswer, useClient } from '../../client/queries.ts';
import shared from '../../ui/shared.module.css';
import { Loaded } from '../../ui/states.tsx';
import { aboutSettings } from './search.ts';
import { SettingGroup } from './setting-field.tsx';
import styles from './settings.module.css';

const words = {
  version: 'the version',
  loads: 'the licenses',
  list: 'Licenses of the software in Porchlight',
  notBuilt: 'Only a built Porchlight contains them.',
  chromium: 'The licenses of Chromium are in the file LICENSES.chromium.html beside the app.',
};

/** A piece of software in Porchlight (scripts/licenses.ts). */
interface Licensed {
  readonly name: string;
  readonly license: string;
  readonly text: string;
}

/** The version of Porchlight, and the licenses of all that it contains. */
export function About(): ReactElement {
  const { home } = useClient();
  const status = useAnswer('status.get', {});
  const licenses = useQuery({ queryKey: ['licenses'], queryFn: readLicenses, staleTime: Infinity });
  return (
    <>
      <SettingGroup page="about" name="version" words={aboutSettings.version}>
        <Loaded query={status} what={words.version}>
          {({ version }) => <Text size="sm">{version}</Text>}
        </Loaded>
      </SettingGroup>
      <SettingGroup page="about" name="licenses" words={aboutSettings.licenses}>
        {home === 'desktop' && <Text size="sm">{words.chromium}</Text>}
        <Loaded query={licenses} what={words.loads}>
          {(all) => (
            <ul className={shared.list} aria-label={words.list}>
              {all.map((one) => (
                <License key={one.name} licensed={one} />
              ))}
            </ul>
          )}
        </Loaded>
      </SettingGroup>
    </>
  );
}

/** The build puts the file beside the window's other files; the server of `npm run dev` has none. */
async function readLicenses(): Promise<readonly Licensed[]> {
  const response = await fetch('licenses.json');
  if (!response.ok) throw new Error(words.notBuilt);
  return (await response.json()) as readonly Licensed[];
}

function License({ licensed: { name, license, text } }: { licensed: Licensed }): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const title = (
    <>
      {name} <span className={styles.licenseName}>{license}</span>
    </>
  );
  return (
    <li className={styles.license}>
      {/* A few packages name their license without its text. */}
      {text === '' ? (
        title
      ) : (
        <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
          <summary>{title}</summary>
          {isOpen && (
            <pre tabIndex={0} aria-label={name}>
              {text}
            </pre>
          )}
        </details>
      )}
    </li>
  );
}
