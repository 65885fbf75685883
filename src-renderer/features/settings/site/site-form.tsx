import { Group, Input, NativeSelect, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import { settingAreas, type Settings } from '../../../../src-main/contract/settings.ts';
import { settingProps } from '../setting-field.tsx';
import { AreaForm, useSettingsForm } from '../settings-form.tsx';
import { AboutText, isComplete, LinkList, PageList } from './lists.tsx';
import { SitePhoto } from './site-photo.tsx';
import { SitePreview, ThemeChoice } from './site-preview.tsx';
import styles from './site.module.css';

const rows = settingAreas.site;

const words = {
  ownAccent: 'Choose an accent color',
  ownZone: 'This server’s own time zone',
  incomplete: 'A link isn’t complete.',
};

/** What the color chooser starts with. */
const firstAccent = '#b3402a';
const zones = Intl.supportedValuesOf('timeZone');

/** Returns the time zones to choose from. The chosen one may have a name that this browser doesn't list. */
function zonesWith(chosen: string) {
  const names = chosen === '' || zones.includes(chosen) ? zones : [chosen, ...zones];
  return [
    { value: '', label: words.ownZone },
    ...names.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
  ];
}

/** Sets what the built-in site says and what it looks like, beside a preview. */
export function SiteForm({ site }: { site: Settings['site'] }): ReactElement {
  const form = useSettingsForm('site', site);
  const { shown, judged, change } = form;
  return (
    <AreaForm
      page="site"
      form={form}
      problems={{ links: shown.links.every(isComplete) ? undefined : words.incomplete }}
      fields={{
        theme: (
          <ThemeChoice theme={shown.theme} accent={shown.accent} onChange={(theme) => change({ theme })} />
        ),
        accent: (
          <>
            <Accent accent={shown.accent} onChange={(accent) => change({ accent })} />
            <SitePreview site={shown} />
          </>
        ),
        about: <AboutText about={shown.about} />,
        photo: <SitePhoto photo={shown.photo} onChange={(photo) => change({ photo })} />,
        links: <LinkList links={shown.links} judged={judged} onChange={(links) => change({ links })} />,
        pages: <PageList pages={shown.pages} onChange={(pages) => change({ pages })} />,
        timeZone: (
          <NativeSelect
            {...settingProps('site', 'timeZone', rows.timeZone)}
            data={zonesWith(shown.timeZone)}
            value={shown.timeZone}
            onChange={(event) => change({ timeZone: event.currentTarget.value })}
          />
        ),
      }}
    />
  );
}

interface AccentProps {
  readonly accent: string;
  readonly onChange: (accent: string) => void;
}

/** Chooses an accent color instead of the theme's. */
function Accent({ accent, onChange }: AccentProps): ReactElement {
  const { id, label } = settingProps('site', 'accent', rows.accent);
  return (
    <Group align="flex-end" id={id}>
      <Switch
        label={words.ownAccent}
        checked={accent !== ''}
        onChange={(event) => onChange(event.currentTarget.checked ? firstAccent : '')}
      />
      {accent !== '' && (
        <Input.Wrapper label={label} id={`${id}-color`}>
          <div>
            <input
              type="color"
              id={`${id}-color`}
              className={styles.color}
              value={accent}
              onChange={(event) => onChange(event.currentTarget.value)}
            />
          </div>
        </Input.Wrapper>
      )}
    </Group>
  );
}
