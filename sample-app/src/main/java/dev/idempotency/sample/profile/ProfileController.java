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

import java.security.Principal;

import jakarta.validation.Valid;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A PUT with {@code If-Match} needs no key (RFC 9110 section 13.1.1): it applies to one
 * version only, so a second delivery changes nothing. A client that lost the first answer
 * gets 412, reads the profile and sees its own change.
 */
@RestController
@RequestMapping("/profile")
class ProfileController {

	private final ProfileRepository profiles;

	ProfileController(ProfileRepository profiles) {
		this.profiles = profiles;
	}

	@GetMapping
	ResponseEntity<ProfileView> find(Principal caller) {
		Profile profile = this.profiles.findByOwner(caller.getName())
			.orElseThrow(() -> new ErrorResponseException(HttpStatus.NOT_FOUND));
		return ResponseEntity.ok().eTag(profile.etag()).body(profile.toView());
	}

	@PutMapping
	@Transactional
	ResponseEntity<ProfileView> update(Principal caller,
			@RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
			@RequestBody @Valid ProfileRequest request) {
		if (ifMatch == null) {
			throw new ErrorResponseException(HttpStatus.PRECONDITION_REQUIRED);
		}
		if (this.profiles.update(caller.getName(), request.displayName(), version(ifMatch)) == 0) {
			throw new ErrorResponseException(HttpStatus.PRECONDITION_FAILED);
		}
		return find(caller);
	}

	/**
	 * Returns the version in an {@code If-Match} header; an unknown format matches none.
	 */
	private static long version(String ifMatch) {
		return ifMatch.matches("\"\\d{1,18}\"") ? Long.parseLong(ifMatch, 1, ifMatch.length() - 1, 10) : -1;
	}

}
