// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.30;

/// A wallet that is a contract with one owner (ERC-1271). Its signatures are wrapped, as passkey wallets wrap theirs.
contract SmartWallet {
    address private immutable owner;

    constructor(address theOwner) {
        owner = theOwner;
    }

    function isValidSignature(bytes32 hash, bytes calldata wrapped) external view returns (bytes4) {
        (uint256 ownerIndex, bytes memory signature) = abi.decode(wrapped, (uint256, bytes));
        require(ownerIndex == 0 && signature.length == 65, "no such owner");
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        // Of this wallet alone: the owner may have others.
        bytes32 own = keccak256(abi.encode(hash, address(this)));
        return ecrecover(own, v, r, s) == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// Makes a wallet at an address that is known before.
contract SmartWalletFactory {
    function create(address owner) external returns (address) {
        return address(new SmartWallet{salt: 0}(owner));
    }

    function addressOf(address owner) external view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(SmartWallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), bytes32(0), code)))));
    }
}
