/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package dev.idempotency.sample.profile;

import java.util.Optional;

import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/**
 * Profiles.
 */
interface ProfileRepository extends Repository<Profile, String> {

	Optional<Profile> findByOwner(String owner);

	/**
	 * Changes a profile that is still as the client saw it.
	 * @return 1, or 0 if it has changed since
	 */
	@Modifying
	@Query("""
			update Profile p set p.displayName = :displayName, p.version = p.version + 1
			where p.owner = :owner and p.version = :version""")
	int update(String owner, String displayName, long version);

}
