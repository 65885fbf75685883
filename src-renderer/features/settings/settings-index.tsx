import { Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { settingsHash, type SettingsPage } from '../../routes.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { findSettings, pageWords } from './search.ts';
import styles from './settings.module.css';
import { searchWords, settingsWords } from './words.ts';

interface Props {
  readonly pages: readonly SettingsPage[];
  /** The page that is shown beside the list. */
  readonly current: SettingsPage;
}

/** The list of pages, and the search, whose results take its place. */
export function SettingsIndex({ pages, current }: Props): ReactElement {
  const [query, setQuery] = useState('');
  const found = findSettings(query, pages);
  const isSearching = query.trim() !== '';
  const open = (hash: string) => {
    setQuery('');
    window.location.hash = hash;
  };
  return (
    <div>
      <form
        role="search"
        className={styles.search}
        onSubmit={(event) => {
          event.preventDefault();
          if (found[0]) open(found[0].hash);
        }}
      >
        <SearchField
          label={searchWords.label}
          placeholder={searchWords.placeholder}
          value={query}
          onChange={setQuery}
        />
      </form>
      <Text role="status" size="sm" c="dimmed" className={styles.count}>
        {isSearching && (found.length === 0 ? searchWords.none : searchWords.count(found.length))}
      </Text>
      <nav aria-label={isSearching ? searchWords.results : settingsWords.index}>
        <ul className={styles.list}>
          {isSearching
            ? found.map(({ hash, label, pageTitle }) => (
                <li key={hash}>
                  <a href={hash} className={styles.link} onClick={() => setQuery('')}>
                    {label}
                    <Text size="xs" c="dimmed">
                      {pageTitle}
                    </Text>
                  </a>
                </li>
              ))
            : pages.map((page) => (
                <li key={page}>
                  <a
                    href={settingsHash(page)}
                    className={styles.link}
                    aria-current={page === current ? 'page' : undefined}
                  >
                    {pageWords[page].title}
                  </a>
                </li>
              ))}
        </ul>
      </nav>
    </div>
  );
}
